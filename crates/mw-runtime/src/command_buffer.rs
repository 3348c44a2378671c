//! [`CommandBuffer`]: work that is encoded, committed once, and completed later.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use crate::command::{LaunchOptions, Pass, Step};
use crate::encoder::{BlitCommandEncoder, ComputeCommandEncoder, DispatchType};
use crate::error::{CommandBufferError, EncodeError};
use crate::event::AnyEvent;
use crate::queue::{CommandQueue, QueueHandle};
use crate::sync::lock;

/// How far a command buffer is (`MTLCommandBufferStatus`, with its numbers).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CommandBufferStatus {
    /// Not enqueued yet.
    NotEnqueued = 0,
    /// Has its place in the queue.
    Enqueued = 1,
    /// Committed: no more encoding.
    Committed = 2,
    /// About to run.
    Scheduled = 3,
    /// Ended well.
    Completed = 4,
    /// Ended in an error.
    Error = 5,
}

impl CommandBufferStatus {
    /// Whether it has ended, well or not.
    pub fn is_final(self) -> bool {
        self >= Self::Completed
    }
}

type Handler = Box<dyn FnOnce(&CommandBuffer) + Send>;

/// A command buffer (`MTLCommandBuffer`). Clones are cheap and mean the same one.
///
/// Encode with [`Self::compute_command_encoder`] and [`Self::blit_command_encoder`], then [`Self::commit`].
/// Buffers and pipelines that it uses stay alive until it has completed.
///
/// A fault of encoding is not lost: the first one comes back from `end_encoding` and from `commit`, the
/// command buffer then runs none of its commands and ends in [`CommandBufferStatus::Error`].
#[derive(Clone)]
pub struct CommandBuffer {
    inner: Arc<Inner>,
}

struct Inner {
    id: u64,
    queue: QueueHandle,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    status: CommandBufferStatus,
    /// The completed handlers have run.
    is_settled: bool,
    /// Threads in a wait, so that nobody is woken for nothing.
    waiters: usize,
    steps: Vec<Step>,
    encoder_is_open: bool,
    encode_error: Option<EncodeError>,
    error: Option<CommandBufferError>,
    scheduled_handlers: Vec<Handler>,
    completed_handlers: Vec<Handler>,
    start_seconds: f64,
    end_seconds: f64,
    label: Option<String>,
}

impl CommandBuffer {
    pub(crate) fn new(queue: QueueHandle) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        let state = State {
            status: CommandBufferStatus::NotEnqueued,
            is_settled: false,
            waiters: 0,
            steps: Vec::new(),
            encoder_is_open: false,
            encode_error: None,
            error: None,
            scheduled_handlers: Vec::new(),
            completed_handlers: Vec::new(),
            start_seconds: 0.0,
            end_seconds: 0.0,
            label: None,
        };
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Self { inner: Arc::new(Inner { id, queue, state: Mutex::new(state), changed: Condvar::new() }) }
    }

    /// The queue that it was made from.
    pub fn command_queue(&self) -> CommandQueue {
        CommandQueue::of_handle(self.inner.queue.clone())
    }

    pub(crate) fn id(&self) -> u64 {
        self.inner.id
    }

    pub(crate) fn queue(&self) -> &QueueHandle {
        &self.inner.queue
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.inner.state)
    }

    /// A serial compute encoder: each dispatch sees what the one before it wrote.
    pub fn compute_command_encoder(&self) -> ComputeCommandEncoder {
        self.compute_command_encoder_with_dispatch_type(DispatchType::Serial)
    }

    /// A compute encoder. With [`DispatchType::Concurrent`] the program itself says with `memory_barrier`
    /// which dispatches depend on each other.
    pub fn compute_command_encoder_with_dispatch_type(
        &self,
        dispatch_type: DispatchType,
    ) -> ComputeCommandEncoder {
        let fault = self.open_encoder();
        ComputeCommandEncoder::new(self.clone(), dispatch_type, fault)
    }

    /// An encoder for copies and fills.
    pub fn blit_command_encoder(&self) -> BlitCommandEncoder {
        let fault = self.open_encoder();
        BlitCommandEncoder::new(self.clone(), fault)
    }

    /// Opens an encoder; on a fault the encoder exists but reports it at its end.
    fn open_encoder(&self) -> Option<EncodeError> {
        let mut state = self.state();
        let fault = match state.status {
            status if status >= CommandBufferStatus::Committed => Some(EncodeError::AlreadyCommitted),
            _ if state.encoder_is_open => Some(EncodeError::EncoderOpen),
            _ => None,
        };
        match &fault {
            None => state.encoder_is_open = true,
            Some(fault) => state.note(fault.clone()),
        }
        fault
    }

    /// Takes what an encoder recorded. `owns_slot` is false for one that never was the open encoder.
    pub(crate) fn close_encoder(
        &self,
        pass: Pass,
        fault: Option<EncodeError>,
        owns_slot: bool,
    ) -> Result<(), EncodeError> {
        let mut state = self.state();
        if owns_slot {
            state.encoder_is_open = false;
        }
        match fault {
            None => {
                state.steps.push(Step::Pass(pass));
                Ok(())
            }
            Some(fault) => {
                state.note(fault.clone());
                Err(fault)
            }
        }
    }

    /// Sets an event to a value when all that was encoded before has run. Also done when a command failed,
    /// so that nobody waits for ever.
    pub fn encode_signal_event(&self, event: &impl AnyEvent, value: u64) -> Result<(), EncodeError> {
        self.encode_step(Step::Signal(event.shared(), value))
    }

    /// Holds the queue here until the event's value is at least `value`.
    pub fn encode_wait_for_event(&self, event: &impl AnyEvent, value: u64) -> Result<(), EncodeError> {
        self.encode_step(Step::Wait(event.shared(), value))
    }

    fn encode_step(&self, step: Step) -> Result<(), EncodeError> {
        let mut state = self.state();
        let fault = if state.status >= CommandBufferStatus::Committed {
            return Err(EncodeError::AlreadyCommitted);
        } else if state.encoder_is_open {
            EncodeError::EncoderOpen
        } else {
            state.steps.push(step);
            return Ok(());
        };
        state.note(fault.clone());
        Err(fault)
    }

    /// Calls `handler` just before the commands run, on the thread that runs them.
    pub fn add_scheduled_handler(
        &self,
        handler: impl FnOnce(&Self) + Send + 'static,
    ) -> Result<(), EncodeError> {
        self.add_handler(|state| &mut state.scheduled_handlers, Box::new(handler))
    }

    /// Calls `handler` when the commands have run, well or not, on the thread that ran them: handlers run in
    /// the order in which they were added, and all before [`Self::wait_until_completed`] returns.
    pub fn add_completed_handler(
        &self,
        handler: impl FnOnce(&Self) + Send + 'static,
    ) -> Result<(), EncodeError> {
        self.add_handler(|state| &mut state.completed_handlers, Box::new(handler))
    }

    fn add_handler(
        &self,
        list: fn(&mut State) -> &mut Vec<Handler>,
        handler: Handler,
    ) -> Result<(), EncodeError> {
        let mut state = self.state();
        if state.status >= CommandBufferStatus::Committed {
            return Err(EncodeError::AlreadyCommitted);
        }
        list(&mut state).push(handler);
        Ok(())
    }

    /// Takes a place in the queue now, before the commit: command buffers run in the order of their places.
    pub fn enqueue(&self) -> Result<(), EncodeError> {
        let mut state = self.state();
        match state.status {
            CommandBufferStatus::NotEnqueued => {
                state.status = CommandBufferStatus::Enqueued;
                self.inner.queue.reserve(self.id());
                Ok(())
            }
            CommandBufferStatus::Enqueued => Ok(()),
            _ => Err(EncodeError::AlreadyCommitted),
        }
    }

    /// Hands the work to the queue, which runs it as soon as all before it has run, whether or not anybody
    /// waits.
    ///
    /// # Errors
    /// It was committed before, or an encoder is open: nothing changes then.
    /// Or a fault was made while encoding: the command buffer then ends in that error, with its handlers
    /// called and its events signalled, and none of its commands run.
    pub fn commit(&self) -> Result<(), EncodeError> {
        self.commit_to_queue(false)
    }

    /// [`Self::commit`], then [`Self::wait_until_completed`], without waking a thread in between: what a launch
    /// of a few microseconds wants.
    ///
    /// # Errors
    /// Those of both.
    pub fn commit_and_wait(&self) -> Result<(), CommandBufferError> {
        match self.commit_to_queue(true) {
            Err(error @ (EncodeError::AlreadyCommitted | EncodeError::EncoderOpen)) => Err(error.into()),
            // Any other fault is the outcome of the wait as well.
            Ok(()) | Err(_) => self.wait_until_completed(),
        }
    }

    fn commit_to_queue(&self, is_awaited: bool) -> Result<(), EncodeError> {
        let mut state = self.state();
        if state.status >= CommandBufferStatus::Committed {
            return Err(EncodeError::AlreadyCommitted);
        }
        if state.encoder_is_open {
            return Err(EncodeError::EncoderOpen);
        }
        state.status = CommandBufferStatus::Committed;
        let fault = state.encode_error.clone();
        // The place in the queue is taken under the lock, so that no other commit of this buffer passes by.
        self.inner.queue.submit(self, is_awaited);
        drop(state);
        fault.map_or(Ok(()), Err)
    }

    /// Waits until the commands are about to run (or have run).
    pub fn wait_until_scheduled(&self) -> Result<(), EncodeError> {
        let mut state = self.state();
        if state.status < CommandBufferStatus::Committed {
            return Err(EncodeError::NotCommitted);
        }
        while state.status < CommandBufferStatus::Scheduled {
            state = self.wait_for_change(state);
        }
        Ok(())
    }

    /// Waits until the commands have run and every completed handler has returned.
    ///
    /// When nobody runs the queue yet, this thread does so itself: that saves two thread switches.
    ///
    /// # Errors
    /// What [`Self::error`] tells; or it was never committed.
    pub fn wait_until_completed(&self) -> Result<(), CommandBufferError> {
        loop {
            if let Some(outcome) = self.outcome()? {
                return outcome;
            }
            if self.inner.queue.drain_until(self.id()) {
                continue;
            }
            let mut state = self.state();
            while !state.is_settled {
                state = self.wait_for_change(state);
            }
        }
    }

    /// The result, if it is settled as far as this thread must wait for it.
    fn outcome(&self) -> Result<Option<Result<(), CommandBufferError>>, EncodeError> {
        let state = self.state();
        if state.status < CommandBufferStatus::Committed {
            return Err(EncodeError::NotCommitted);
        }
        // A completed handler may wait for its own command buffer: it would wait for itself.
        let is_done =
            state.is_settled || (state.status.is_final() && self.inner.queue.is_run_by_this_thread());
        Ok(is_done.then(|| state.error.clone().map_or(Ok(()), Err)))
    }

    fn wait_for_change<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.waiters += 1;
        let mut state = self.inner.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiters -= 1;
        state
    }

    /// How far it is.
    pub fn status(&self) -> CommandBufferStatus {
        self.state().status
    }

    /// Why it ended in an error.
    pub fn error(&self) -> Option<CommandBufferError> {
        self.state().error.clone()
    }

    /// When the first command began, in seconds of a clock that only goes forward; 0 before it has completed.
    pub fn gpu_start_time(&self) -> f64 {
        self.state().start_seconds
    }

    /// When the last command ended, on the same clock.
    pub fn gpu_end_time(&self) -> f64 {
        self.state().end_seconds
    }

    /// Name for messages.
    pub fn label(&self) -> Option<String> {
        self.state().label.clone()
    }

    /// Sets the name for messages.
    pub fn set_label(&self, label: impl Into<String>) {
        self.state().label = Some(label.into());
    }

    /// Runs everything, on the thread that runs the queue.
    pub(crate) fn execute(&self, options: LaunchOptions) {
        let (steps, handlers, fault) = {
            let mut state = self.state();
            state.status = CommandBufferStatus::Scheduled;
            self.wake(&state);
            let handlers = std::mem::take(&mut state.scheduled_handlers);
            (std::mem::take(&mut state.steps), handlers, state.encode_error.take())
        };
        self.call(handlers);
        let start = now_seconds();
        let error = run(&steps, fault.map(CommandBufferError::Encode), options);
        let end = now_seconds();
        // Buffers go before the handlers run: a handler that measures memory sees them gone.
        drop(steps);
        let handlers = {
            let mut state = self.state();
            state.start_seconds = start;
            state.end_seconds = end;
            state.status =
                if error.is_some() { CommandBufferStatus::Error } else { CommandBufferStatus::Completed };
            state.error = error;
            std::mem::take(&mut state.completed_handlers)
        };
        self.call(handlers);
        let mut state = self.state();
        state.is_settled = true;
        self.wake(&state);
    }

    fn wake(&self, state: &MutexGuard<'_, State>) {
        if state.waiters > 0 {
            self.inner.changed.notify_all();
        }
    }

    fn call(&self, handlers: Vec<Handler>) {
        for handler in handlers {
            // A panicking handler must not take the queue with it; the panic hook has reported it.
            let call = std::panic::AssertUnwindSafe(|| handler(self));
            drop(std::panic::catch_unwind(call));
        }
    }
}

impl State {
    /// Keeps the first fault.
    fn note(&mut self, fault: EncodeError) {
        self.encode_error.get_or_insert(fault);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if state.status == CommandBufferStatus::Enqueued {
            // Enqueued and never committed: those behind it must not wait for ever.
            self.queue.cancel(self.id);
        }
    }
}

impl fmt::Debug for CommandBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("CommandBuffer")
            .field("status", &state.status)
            .field("label", &state.label)
            .finish_non_exhaustive()
    }
}

/// Runs the steps in order. After an error only signals are still given.
fn run(
    steps: &[Step],
    mut error: Option<CommandBufferError>,
    options: LaunchOptions,
) -> Option<CommandBufferError> {
    for step in steps {
        match step {
            Step::Pass(pass) if error.is_none() => error = pass.execute(options).err(),
            Step::Wait(event, value) if error.is_none() => {
                event.wait_until_signaled_value(*value, None);
            }
            Step::Pass(_) | Step::Wait(..) => {}
            Step::Signal(event, value) => event.set_signaled_value(*value),
        }
    }
    error
}

/// Seconds since the first use in this process.
fn now_seconds() -> f64 {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    EPOCH.get_or_init(Instant::now).elapsed().as_secs_f64()
}
