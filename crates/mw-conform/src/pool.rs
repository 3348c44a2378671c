//! Worker processes: each is fed over its pipes by a thread, and replaced when it crashes or hangs.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::outcome::{Class, Outcome};
use crate::sweep::{Job, WorkerCommand};

/// A worker is replaced after so many kernels, so that nothing piles up.
const KERNELS_PER_WORKER: usize = 500;

/// Characters of a crashed worker's error stream that are kept.
const LAST_WORDS: usize = 600;

/// A running worker.
struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    errors: Arc<Mutex<String>>,
    checked: usize,
}

impl Worker {
    fn start(command: &WorkerCommand) -> io::Result<Self> {
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let gone = || io::Error::other("a pipe of the worker is missing");
        let input = child.stdin.take().ok_or_else(gone)?;
        let output = child.stdout.take().ok_or_else(gone)?;
        let mut error_stream = child.stderr.take().ok_or_else(gone)?;
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let errors = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&errors);
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(count @ 1..) = error_stream.read(&mut bytes) {
                let Ok(mut kept) = kept.lock() else { break };
                kept.push_str(&String::from_utf8_lossy(&bytes[..count]));
                if kept.len() > 4 * LAST_WORDS {
                    let cut = kept.ceil_char_boundary(kept.len() - LAST_WORDS);
                    kept.drain(..cut);
                }
            }
        });
        Ok(Self { child, input, answers, errors, checked: 0 })
    }

    /// The outcome of a job. `None` when the worker must be replaced; the outcome says why then.
    #[expect(clippy::result_large_err, reason = "both sides are outcomes, once a kernel")]
    fn check(&mut self, job: &Job, limit: Duration) -> Result<Outcome, Outcome> {
        self.checked += 1;
        let mut line = serde_json::to_vec(&job.request).unwrap_or_default();
        line.push(b'\n');
        if self.input.write_all(&line).and_then(|()| self.input.flush()).is_err() {
            return Err(self.crash(job));
        }
        match self.answers.recv_timeout(limit) {
            Ok(answer) => serde_json::from_str(&answer).map_err(|error| {
                Outcome::new(&job.name, &job.hash, Class::Crash, format!("an answer that is none: {error}"))
            }),
            Err(RecvTimeoutError::Disconnected) => Err(self.crash(job)),
            Err(RecvTimeoutError::Timeout) => {
                let detail = format!("nothing came back in {} s", limit.as_secs());
                Err(Outcome::new(&job.name, &job.hash, Class::JitError, detail))
            }
        }
    }

    fn crash(&mut self, job: &Job) -> Outcome {
        let how = match self.child.wait() {
            Ok(status) => match status.signal() {
                Some(signal) => format!("the worker was ended by signal {signal}"),
                None => format!("the worker ended with {status}"),
            },
            Err(error) => format!("the worker is gone: {error}"),
        };
        let words = self.errors.lock().map(|words| words.trim().to_owned()).unwrap_or_default();
        let start = words.ceil_char_boundary(words.len().saturating_sub(LAST_WORDS));
        Outcome::new(&job.name, &job.hash, Class::Crash, format!("{how}: {}", &words[start..]))
    }

    fn end(mut self) {
        // It may have ended already; then there is nothing to kill, and it is only collected.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs jobs on `count` workers; outcomes come as they are ready. Workers stop when the receiver is dropped.
pub(crate) fn run(
    jobs: Vec<Job>,
    command: &WorkerCommand,
    count: usize,
    limit: Duration,
) -> Receiver<Outcome> {
    let (sender, receiver) = channel();
    let queue = Arc::new(Mutex::new(jobs.into_iter()));
    for _ in 0..count {
        let (sender, queue, command) = (sender.clone(), Arc::clone(&queue), command.clone());
        std::thread::spawn(move || feed(&queue, &sender, &command, limit));
    }
    receiver
}

fn feed(
    queue: &Mutex<std::vec::IntoIter<Job>>,
    sender: &Sender<Outcome>,
    command: &WorkerCommand,
    limit: Duration,
) {
    let mut worker: Option<Worker> = None;
    loop {
        let job = queue.lock().ok().and_then(|mut queue| queue.next());
        let Some(job) = job else { break };
        if worker.as_ref().is_some_and(|worker| worker.checked >= KERNELS_PER_WORKER)
            && let Some(old) = worker.take()
        {
            old.end();
        }
        let mut running = match worker.take().map_or_else(|| Worker::start(command), Ok) {
            Ok(running) => running,
            Err(error) => {
                let detail = format!("no worker could be started: {error}");
                if sender.send(Outcome::new(&job.name, &job.hash, Class::Crash, detail)).is_err() {
                    break;
                }
                continue;
            }
        };
        let outcome = match running.check(&job, limit) {
            Ok(outcome) => {
                worker = Some(running);
                // The worker knows the kernel by its place and its own name.
                Outcome { name: job.name.clone(), ..outcome }
            }
            Err(outcome) => {
                running.end();
                outcome
            }
        };
        if sender.send(outcome).is_err() {
            break;
        }
    }
    if let Some(worker) = worker {
        worker.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::Request;

    /// Runs two jobs on a worker that is a line of shell.
    fn outcomes(script: &str, limit: Duration) -> Vec<Outcome> {
        let command =
            WorkerCommand { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] };
        let job = |name: &str| Job {
            request: Request { library: 0, function: 0 },
            name: name.to_owned(),
            hash: String::new(),
        };
        run(vec![job("first"), job("second")], &command, 1, limit).into_iter().collect()
    }

    #[test]
    fn a_crash_is_the_result_of_one_kernel() {
        let outcomes = outcomes("read request; echo lost >&2; kill -9 $$", Duration::from_secs(60));
        assert_eq!(outcomes.len(), 2);
        for (outcome, name) in outcomes.iter().zip(["first", "second"]) {
            assert_eq!((outcome.class, &*outcome.name), (Class::Crash, name));
            assert!(outcome.detail.contains("signal 9"), "{}", outcome.detail);
        }
    }

    #[test]
    fn a_worker_that_hangs_is_given_up() {
        let outcomes = outcomes("read request; exec sleep 1000", Duration::from_millis(50));
        assert_eq!(outcomes.len(), 2);
        assert!(outcomes.iter().all(|outcome| outcome.detail.contains("nothing came back")));
    }

    #[test]
    fn answers_are_outcomes() {
        let answer = serde_json::to_string(&Outcome::new("first", "", Class::Ok, "")).unwrap();
        let script = format!("while read request; do echo '{answer}'; done");
        let outcomes = outcomes(&script, Duration::from_secs(60));
        assert_eq!(outcomes[1].name, "second");
        assert_eq!(outcomes.iter().map(|outcome| outcome.class).collect::<Vec<_>>(), [Class::Ok; 2]);
    }
}
