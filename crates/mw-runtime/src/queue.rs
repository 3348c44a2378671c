//! [`CommandQueue`]: runs command buffers one after another.
//!
//! A queue is run by one thread at a time, the *runner*: its worker thread, or a thread that waits for one
//! of its command buffers and finds that nobody runs the queue yet.
//! The latter saves the two thread switches that would make up most of the time of a small launch; work is
//! still begun by the worker when nobody waits.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::ThreadId;

use mw_backend::ThreadgroupOrder;

use crate::command::LaunchOptions;
use crate::command_buffer::CommandBuffer;
use crate::device::Device;
use crate::sync::lock;

/// Stack of a worker thread: kernels run on it.
const WORKER_STACK_BYTES: usize = 16 << 20;

/// A queue of command buffers (`MTLCommandQueue`). Clones are cheap and mean the same queue.
///
/// Command buffers of one queue run in order; queues run side by side.
#[derive(Clone)]
pub struct CommandQueue {
    handle: QueueHandle,
}

/// What keeps a queue open: its handles and its command buffers.
pub(crate) type QueueHandle = Arc<Owner>;

pub(crate) struct Owner {
    device: Device,
    shared: Arc<Shared>,
    settings: Mutex<Settings>,
}

#[derive(Default)]
struct Settings {
    order: ThreadgroupOrder,
    label: Option<String>,
}

/// What the worker keeps too.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    places: VecDeque<Place>,
    runner: Option<ThreadId>,
    has_worker: bool,
    worker_sleeps: bool,
    is_closed: bool,
}

/// A place in the queue.
enum Place {
    /// Taken by `enqueue`; the command buffer of this id is not committed yet.
    Reserved(u64),
    Committed(CommandBuffer),
}

impl CommandQueue {
    pub(crate) fn new(device: Device) -> Self {
        let shared = Arc::default();
        Self { handle: Arc::new(Owner { device, shared, settings: Mutex::default() }) }
    }

    pub(crate) fn of_handle(handle: QueueHandle) -> Self {
        Self { handle }
    }

    /// The device that it was made from.
    pub fn device(&self) -> &Device {
        &self.handle.device
    }

    /// A new command buffer.
    pub fn command_buffer(&self) -> CommandBuffer {
        CommandBuffer::new(self.handle.clone())
    }

    /// In which order threadgroups of later launches start.
    pub fn set_threadgroup_order(&self, order: ThreadgroupOrder) {
        lock(&self.handle.settings).order = order;
    }

    /// Name for messages.
    pub fn label(&self) -> Option<String> {
        lock(&self.handle.settings).label.clone()
    }

    /// Sets the name for messages.
    pub fn set_label(&self, label: impl Into<String>) {
        lock(&self.handle.settings).label = Some(label.into());
    }
}

impl fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandQueue").field("label", &self.label()).finish_non_exhaustive()
    }
}

impl Owner {
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Takes the last place for a command buffer that is committed later.
    pub(crate) fn reserve(&self, id: u64) {
        lock(&self.shared.state).places.push_back(Place::Reserved(id));
    }

    /// Gives a reserved place up.
    pub(crate) fn cancel(&self, id: u64) {
        let mut state = lock(&self.shared.state);
        state.places.retain(|place| !matches!(place, Place::Reserved(other) if *other == id));
        self.shared.offer_work(&mut state);
    }

    /// Puts a committed command buffer at its reserved place, or at the end. The worker is not told when
    /// `is_awaited`: somebody is about to wait for it, and runs it if nobody else does.
    pub(crate) fn submit(&self, buffer: &CommandBuffer, is_awaited: bool) {
        let mut state = lock(&self.shared.state);
        let id = buffer.id();
        let reserved =
            state.places.iter_mut().find(|place| matches!(place, Place::Reserved(other) if *other == id));
        match reserved {
            Some(place) => *place = Place::Committed(buffer.clone()),
            None => state.places.push_back(Place::Committed(buffer.clone())),
        }
        if !is_awaited {
            self.shared.offer_work(&mut state);
        }
    }

    /// Runs the queue on this thread until command buffer `id` has run or the front is not ready.
    /// False, with nothing done, when another thread runs it or there is nothing to run.
    pub(crate) fn drain_until(&self, id: u64) -> bool {
        let mut state = lock(&self.shared.state);
        let this_thread = std::thread::current().id();
        let outer = match state.runner {
            None => None,
            // A completed handler waits for a later command buffer: nobody but this thread can run it.
            Some(runner) if runner == this_thread => Some(runner),
            Some(_) => return false,
        };
        let mut ran_something = false;
        state.runner = Some(this_thread);
        while let Some(buffer) = state.take_ready() {
            ran_something = true;
            let is_last = buffer.id() == id;
            drop(state);
            buffer.execute(self.launch_options());
            drop(buffer);
            state = lock(&self.shared.state);
            if is_last {
                break;
            }
        }
        state.runner = outer;
        self.shared.offer_work(&mut state);
        ran_something
    }

    pub(crate) fn is_run_by_this_thread(&self) -> bool {
        lock(&self.shared.state).runner == Some(std::thread::current().id())
    }

    fn launch_options(&self) -> LaunchOptions {
        LaunchOptions { order: lock(&self.settings).order, time_limit: self.device.time_limit() }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        state.is_closed = true;
        // No command buffer is left (each holds a handle), so the worker sleeps or is about to.
        self.shared.work.notify_all();
    }
}

impl Shared {
    /// Wakes (or starts) the worker if there is something to run and nobody runs it.
    fn offer_work(self: &Arc<Self>, state: &mut State) {
        if state.runner.is_some() || !state.front_is_ready() {
            return;
        }
        if state.worker_sleeps {
            state.worker_sleeps = false;
            self.work.notify_one();
        } else if !state.has_worker {
            let shared = self.clone();
            let worker = std::thread::Builder::new()
                .name("metalworking-queue".to_owned())
                .stack_size(WORKER_STACK_BYTES)
                .spawn(move || shared.work_until_closed());
            // Without a thread the work waits for somebody who waits for it.
            state.has_worker = worker.is_ok();
        }
    }

    fn work_until_closed(&self) {
        let mut state = lock(&self.state);
        loop {
            let ready = if state.runner.is_none() { state.take_ready() } else { None };
            if let Some(buffer) = ready {
                state.runner = Some(std::thread::current().id());
                drop(state);
                let options = buffer.queue().launch_options();
                buffer.execute(options);
                // May be the last handle of the queue: its drop takes the lock.
                drop(buffer);
                state = lock(&self.state);
                state.runner = None;
            } else if state.is_closed {
                return;
            } else {
                state.worker_sleeps = true;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.worker_sleeps = false;
            }
        }
    }
}

impl State {
    fn front_is_ready(&self) -> bool {
        matches!(self.places.front(), Some(Place::Committed(_)))
    }

    fn take_ready(&mut self) -> Option<CommandBuffer> {
        if !self.front_is_ready() {
            return None;
        }
        match self.places.pop_front() {
            Some(Place::Committed(buffer)) => Some(buffer),
            Some(Place::Reserved(_)) | None => None,
        }
    }
}
