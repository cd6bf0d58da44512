// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import CFreshetSimulator
    import Glibc
    import SeededRandom
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) package import _Concurrency

    /// Runs all tasks and actors of the process on one thread, in an order that a seed decides, on virtual time.
    ///
    /// It replaces the executors of the concurrency runtime by an SPI of Swift 6.3, so that `Task.sleep`, `Task.yield`, actors
    /// and task groups need no change in the code that is simulated. A job that another thread enqueues, and a thread that is
    /// started during a history, would make the history depend on the machine: both end the process.
    package final class SimulationExecutor: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
        /// A piece of work that runs without interruption.
        private enum Step {
            case job(UnownedJob)
            /// A job of the main actor.
            case mainJob(UnownedJob)
            case action(() -> Void)
        }

        /// The executor of the process, which belongs to the thread that first uses it.
        package static let shared = SimulationExecutor()

        private let thread = pthread_self()
        // Only the executor itself uses them, and checking each access takes as long as drawing the next step.
        @exclusivity(unchecked) private var order = SeededRandomStream(seed: 0)
        @exclusivity(unchecked) private var ready: [Step] = []
        @exclusivity(unchecked) private var timers = TimerHeap<Step>()
        /// The virtual time since the start of the history.
        @exclusivity(unchecked) package private(set) var now = Duration.zero
        /// The same in nanoseconds: the parts of a `Duration` take a division of 128 bits.
        @exclusivity(unchecked) private var nanoseconds: Int64 = 0
        /// The number of steps since the start of the history.
        @exclusivity(unchecked) package private(set) var steps = 0

        /// One job of this many starts later; none if 0.
        @exclusivity(unchecked) private var tasksPerDelay = 0
        /// The longest delay is 65 ms, about as long as that of a message that is not slow.
        private static let maximumDelayExponent = 16

        /// The number of actions that are in a pause.
        @exclusivity(unchecked) private var pauses = 0
        private static let maximumPauses = 4

        private init() {}

        private struct Factory: ExecutorFactory {
            static var mainExecutor: any MainExecutor { SimulationMainExecutor.shared }
            static var defaultExecutor: any TaskExecutor { SimulationExecutor.shared }
        }

        /// Replaces the executors of the process; must be the first use of concurrency in it.
        package static func install() { _createExecutors(factory: Factory.self) }

        /// The time within which the steps of a task count as simultaneous: some of them may be delayed, one after the other.
        package var simultaneity: Duration { tasksPerDelay == 0 ? .zero : .seconds(1) }

        // MARK: - Histories

        /// Starts a history; the tasks of the one before must have ended.
        ///
        /// - Parameters:
        ///   - seed: Decides the order of tasks.
        ///   - tasksPerDelay: One task that is ready of this many starts later, as on a thread that the system interrupts; none
        ///     if 0.
        package func start(seed: UInt64, tasksPerDelay: Int = 0) {
            require(ready.isEmpty, "tasks of the previous history are left: \(ready.count) ready")
            require(
                timers.isEmpty,
                "tasks of the previous history are left: the first is due at \(timers.next, default: "-")"
            )
            order = SeededRandomStream(seed: seed)
            self.tasksPerDelay = tasksPerDelay
            now = .zero
            nanoseconds = 0
            steps = 0
            freshet_simulator_begin(seed)
        }

        /// Runs until no work is due before `deadline`, or `isOver` returns `true`.
        package func run(until deadline: Duration, isOver: () -> Bool = { false }) {
            let end = deadline.wholeNanoseconds
            while !isOver() {
                if ready.isEmpty {
                    guard let time = timers.next, time <= end else { break }
                    advance(to: time)
                    // Work that is due at one time has no order of its own.
                    while timers.next == time, let step = timers.removeFirst() { ready.append(step) }
                }
                steps += 1
                freshet_simulator_begin_step(UInt64(steps))
                ready.swapAt(order.number(in: 0...ready.count - 1), ready.count - 1)
                switch ready.removeLast() {
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                case .mainJob(let job):
                    job.runSynchronously(on: SimulationMainExecutor.shared.asUnownedSerialExecutor())
                case .action(let action): action()
                }
            }
            require(freshet_simulator_threads() == 0, "a thread was started")
        }

        /// Runs other work for some time in the midst of an action, which goes on afterwards.
        ///
        /// An action that runs during the pause of another one may pause, too, up to some depth: the one that pauses last
        /// goes on first.
        func runOthers(for time: Duration) {
            guard pauses < Self.maximumPauses else { return }
            pauses += 1
            run(until: now + time)
            pauses -= 1
        }

        /// The bytes of the process that are allocated now.
        package var allocatedBytes: Int { freshet_simulator_allocated() }

        /// Ends the history: clocks and random numbers are the system's again.
        package func end() { freshet_simulator_end() }

        private func advance(to time: Int64) {
            nanoseconds = max(nanoseconds, time)
            now = .nanoseconds(nanoseconds)
            freshet_simulator_set_time(nanoseconds)
        }

        // MARK: - Work

        /// Runs `action` as a step of its own, once `delay` has passed.
        package func schedule(after delay: Duration = .zero, _ action: @escaping () -> Void) {
            insert(.action(action), after: delay)
        }

        private func insert(_ step: Step, after delay: Duration) {
            require(pthread_equal(pthread_self(), thread) != 0, "another thread enqueued work")
            guard delay > .zero else { return ready.append(step) }
            // Rounded up: a task that wakes before its time would sleep again, for a time of zero.
            timers.insert(step, at: nanoseconds + delay.nanosecondsRoundedUp)
        }

        /// The time that passes before a job that is ready starts.
        ///
        /// All steps that are ready run at one instant of virtual time. Without delays no message would arrive between two steps
        /// of a task that waits for nothing else.
        private func delay() -> Duration {
            guard tasksPerDelay > 0, order.number(in: 1...tasksPerDelay) == 1 else { return .zero }
            return .microseconds(1 << order.number(in: 0...Self.maximumDelayExponent))
        }

        private func require(_ condition: Bool, _ message: String) {
            guard !condition else { return }
            fatalError("the simulation is not deterministic: \(message)")
        }

        // MARK: - Executors

        package func enqueue(_ job: consuming ExecutorJob) { insert(.job(UnownedJob(job)), after: delay()) }

        package func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            after delay: C.Duration,
            tolerance: C.Duration?,
            clock: C
        ) {
            insert(.job(UnownedJob(job)), after: duration(delay))
        }

        package func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            at instant: C.Instant,
            tolerance: C.Duration?,
            clock: C
        ) {
            insert(.job(UnownedJob(job)), after: duration(clock.now.duration(to: instant)))
        }

        private func duration(_ value: Any) -> Duration {
            guard let duration = value as? Duration else { fatalError("a clock measures in \(type(of: value))") }
            return duration
        }

        fileprivate func enqueueOnMain(_ job: UnownedJob) { insert(.mainJob(job), after: delay()) }
    }

    /// The executor of the main actor, whose jobs are steps like those of other actors.
    private final class SimulationMainExecutor: MainExecutor, SerialExecutor {
        static let shared = SimulationMainExecutor()

        func enqueue(_ job: consuming ExecutorJob) { SimulationExecutor.shared.enqueueOnMain(UnownedJob(job)) }
        func run() throws {}
        func stop() {}
    }

    extension Duration {
        /// The duration in nanoseconds, rounded down.
        var wholeNanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }

        var nanosecondsRoundedUp: Int64 {
            components.seconds * 1_000_000_000 + (components.attoseconds + 999_999_999) / 1_000_000_000
        }
    }
#endif
