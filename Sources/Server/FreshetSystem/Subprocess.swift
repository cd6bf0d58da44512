// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
    private let sendSignal = Glibc.kill(_:_:)
#elseif canImport(Musl)
    import Musl
    private let sendSignal = Musl.kill(_:_:)
#else
    import Darwin
    private let sendSignal = Darwin.kill(_:_:)
#endif

/// A child process in a separate process group, with only the given descriptors and environment.
///
/// Foundation's `Process` is not used: up to Swift 6.3 it reads beyond the end of a list of open descriptors, which can
/// crash a server with more than a thousand connections (swift-corelibs-foundation pull request 5472).
package final class Subprocess: Sendable {
    /// The way in which the process ended.
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)

        /// The exit status as shells report it.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let signal): 128 + signal
            }
        }
    }

    /// The process id, which is not reused while this object lives: its `deinit` reaps the process.
    private final class Identifier: Sendable {
        let value: pid_t

        init(_ value: pid_t) { self.value = value }

        /// The process has ended, because the thread that waits for its end retains this object.
        deinit { while waitpid(value, nil, 0) == -1 && errno == EINTR {} }
    }

    private let identifier: Identifier
    /// The process id.
    package var id: Int32 { identifier.value }

    private let ending = NIOLockedValueBox<Ending?>(nil)
    private let ended = DispatchGroup()

    /// Starts a program, without a shell.
    ///
    /// - Parameters:
    ///   - command: The path of the program, and its arguments.
    ///   - environment: Its whole environment.
    ///   - input: Its standard input; empty if `nil`. The caller closes its own copy of each handle.
    ///   - output: Its standard output; discarded if `nil`.
    ///   - log: Its standard error; discarded if `nil`.
    ///   - whenEnded: Called when the process has ended, on a separate thread.
    /// - Throws: `POSIXError` if the program cannot be started.
    package init(
        _ command: [String],
        environment: [String: String],
        input: FileHandle? = nil,
        output: FileHandle? = nil,
        log: FileHandle? = nil,
        whenEnded: @escaping @Sendable (Ending) -> Void = { _ in }
    ) throws(POSIXError) {
        let files = [input, output, log].map { $0?.fileDescriptor }
        let identifier = Identifier(try Self.start(command, environment.map { "\($0.key)=\($0.value)" }, files))
        self.identifier = identifier
        ended.enter()
        // A separate thread: the wait blocks, and the concurrency runtime has only one thread per core.
        Thread.detachNewThread { [ending, ended] in
            let result = Self.wait(for: identifier)
            ending.withLockedValue { $0 = result }
            ended.leave()
            whenEnded(result)
        }
    }

    /// Blocks until the process ends.
    ///
    /// - Returns: `nil` if the process still runs at `end`.
    package func wait(until end: ContinuousClock.Instant) -> Ending? {
        let left = max(.zero, end - ContinuousClock.now)
        _ = ended.wait(timeout: .now() + left / .seconds(1))
        return ending.withLockedValue { $0 }
    }

    /// Sends a signal; has no effect if the process has ended.
    package func signal(_ number: Int32) { _ = sendSignal(identifier.value, number) }

    /// Sends SIGKILL to the process group: the process and its descendants.
    package func kill() { _ = sendSignal(-identifier.value, SIGKILL) }

    /// Creates a pipe that no other subprocess inherits, with descriptors above the three standard ones.
    package static func pipe() throws(POSIXError) -> (reading: FileHandle, writing: FileHandle) {
        // No subprocess starts between the creation of the descriptors and the setting of close-on-exec.
        starting.lock()
        defer { starting.unlock() }
        var ends: [Int32] = [-1, -1]
        guard makePipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        for (index, end) in ends.enumerated() {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            guard end <= 2 else { continue }
            ends[index] = fcntl(end, F_DUPFD_CLOEXEC, 3)
            close(end)
        }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    // MARK: - The system's calls

    private static let starting = NIOLock()

    private static func start(
        _ command: [String],
        _ environment: [String],
        _ files: [Int32?]
    ) throws(POSIXError) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let closing: Int32 = 0
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, file) in zip(Int32(0)..., files) {
            if let file {
                posix_spawn_file_actions_adddup2(&actions, file, place)
            } else {
                posix_spawn_file_actions_addopen(&actions, place, "/dev/null", place == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        starting.lock()
        defer { starting.unlock() }
        #if os(Linux)
            if let addCloseFrom {
                // Descriptors are closed in the child, where no other thread can open a file between listing and
                // closing them.
                _ = addCloseFrom(&actions, 3)
            } else {
                let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
                for file in open.compactMap({ Int32($0) }) where file > 2 {
                    posix_spawn_file_actions_addclose(&actions, file)
                }
            }
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A program must not inherit the signals that the server blocks or ignores.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags | Int32(closing)))
        let arguments = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier: pid_t = 0
        var error: Int32 = 0
        for _ in 1...100 {
            error = posix_spawn(&identifier, command.first ?? "", &actions, &attributes, arguments, variables)
            // A program file that was just written may still be open in children that are starting.
            guard error == ETXTBSY else { break }
            usleep(1000)
        }
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOENT) }
        return identifier
    }

    private static func wait(for identifier: Identifier) -> Ending {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier.value), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
        #if canImport(Darwin)
            let status = information.si_status
        #else
            let status = information._sifields._sigchld.si_status
        #endif
        return information.si_code == CLD_EXITED ? .exited(status) : .signalled(status)
    }
}

#if canImport(Glibc)
    private let makePipe = Glibc.pipe(_:)
#elseif canImport(Musl)
    private let makePipe = Musl.pipe(_:)
#else
    private let makePipe = Darwin.pipe(_:)
#endif

#if os(Linux)
    private typealias AddCloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// A pointer to `posix_spawn_file_actions_addclosefrom_np`, which glibc has since 2.34 and Musl lacks, and which is
    /// hidden from Swift.
    private let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: AddCloseFrom.self)
    }
#endif
