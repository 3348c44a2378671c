//! The threads that run threadgroups.
//!
//! The thread that launches works too, and starts alone: it runs threadgroups for a few microseconds before
//! it asks others for help, because waking a thread costs more than many launches take. Threadgroups are
//! handed out in chunks by an atomic counter; the chunk is sized by how long the first ones took.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::fault::Fault;
use crate::launch::PreparedLaunch;
use crate::worker::Worker;

/// How long a launch runs on the calling thread before others are woken.
const ALONE: Duration = Duration::from_micros(15);
/// How long a chunk should take: long against the counter's cost, short against the whole.
const CHUNK_NANOS: u64 = 40_000;

/// A launch that several threads work on.
#[derive(Debug)]
struct Job {
    launch: PreparedLaunch,
    next: AtomicU64,
    chunk: AtomicU64,
    state: Mutex<JobState>,
    idle: Condvar,
}

#[derive(Debug, Default)]
struct JobState {
    /// Threads of the pool that are at it.
    helpers: usize,
    fault: Option<Fault>,
}

impl Job {
    fn has_work(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.launch.threadgroup_count && !self.launch.is_stopped()
    }

    /// Takes threadgroups until none is left.
    fn work(&self) {
        Worker::with(self.launch.stack_bytes, |worker| {
            let result = worker.begin(&self.launch).and_then(|mut session| {
                while self.has_work() {
                    let chunk = self.chunk.load(Ordering::Relaxed);
                    let first = self.next.fetch_add(chunk, Ordering::Relaxed);
                    for turn in first..(first + chunk).min(self.launch.threadgroup_count) {
                        session.run(turn)?;
                    }
                }
                Ok(())
            });
            if let Err(fault) = result {
                self.launch.stop();
                self.lock().fault.get_or_insert(fault);
            }
        });
    }

    /// Works alone for a while. Gives whether work is left, and sizes the chunks for it.
    fn work_alone(&self, threads: u64) -> bool {
        Worker::with(self.launch.stack_bytes, |worker| {
            let start = Instant::now();
            let result = worker.begin(&self.launch).and_then(|mut session| {
                while self.has_work() {
                    let turn = self.next.fetch_add(1, Ordering::Relaxed);
                    session.run(turn)?;
                    let elapsed = start.elapsed();
                    if elapsed >= ALONE {
                        let each = elapsed.as_nanos() as u64 / (turn + 1);
                        let left = self.launch.threadgroup_count.saturating_sub(turn + 1);
                        let fair = left.div_ceil(threads * 4).max(1);
                        self.chunk.store((CHUNK_NANOS / each.max(1)).clamp(1, fair), Ordering::Relaxed);
                        break;
                    }
                }
                Ok(())
            });
            if let Err(fault) = result {
                self.launch.stop();
                self.lock().fault.get_or_insert(fault);
            }
        });
        self.has_work()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Queue {
    jobs: Vec<Arc<Job>>,
    closed: bool,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pool of threads. Its threads end when it is dropped.
#[derive(Debug)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
    helpers: Vec<std::thread::JoinHandle<()>>,
}

impl Pool {
    /// A pool in which `threads` run at a time, the launching one included.
    pub(crate) fn new(threads: NonZero<usize>) -> Self {
        let shared = Arc::new(Shared::default());
        let helpers = (1..threads.get())
            .map_while(|index| {
                let shared = Arc::clone(&shared);
                let builder = std::thread::Builder::new().name(format!("mw-worker-{index}"));
                // A system that gives no more threads gets its kernels run by fewer.
                builder.spawn(move || help(&shared)).ok()
            })
            .collect();
        Self { shared, helpers }
    }

    /// Threads that run threadgroups at the same time.
    pub(crate) fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Runs every threadgroup of a launch.
    pub(crate) fn run(&self, launch: PreparedLaunch) -> Result<(), Fault> {
        let job = Job {
            launch,
            next: AtomicU64::new(0),
            chunk: AtomicU64::new(1),
            state: Mutex::default(),
            idle: Condvar::new(),
        };
        let is_left = job.work_alone(self.threads() as u64);
        if !is_left || self.helpers.is_empty() {
            if is_left {
                job.work();
            }
            return job.lock().fault.take().map_or(Ok(()), Err);
        }
        let job = Arc::new(job);
        self.shared.lock().jobs.push(Arc::clone(&job));
        let left = job.launch.threadgroup_count.saturating_sub(job.next.load(Ordering::Relaxed));
        for _ in 0..left.min(self.helpers.len() as u64) {
            self.shared.wake.notify_one();
        }
        job.work();
        // Nobody joins any more; then wait for those who did.
        self.shared.lock().jobs.retain(|other| !Arc::ptr_eq(other, &job));
        let mut state = job.lock();
        while state.helpers > 0 {
            state = job.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.fault.take().map_or(Ok(()), Err)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_all();
        for helper in self.helpers.drain(..) {
            // A helper that panicked has reported it; there is nothing to add.
            let _ = helper.join();
        }
    }
}

/// What a thread of the pool does.
fn help(shared: &Shared) {
    let mut queue = shared.lock();
    loop {
        if let Some(job) = queue.jobs.iter().find(|job| job.has_work()).map(Arc::clone) {
            // Joined under the queue's lock, so that whoever takes the job off the queue sees it.
            job.lock().helpers += 1;
            drop(queue);
            job.work();
            let mut state = job.lock();
            state.helpers -= 1;
            if state.helpers == 0 {
                job.idle.notify_one();
            }
            drop(state);
            queue = shared.lock();
        } else if queue.closed {
            return;
        } else {
            queue = shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
