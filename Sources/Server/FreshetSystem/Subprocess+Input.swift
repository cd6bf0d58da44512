// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Subprocess {
    /// Writes to a pipe, and blocks while it is full.
    ///
    /// A reader that has exited is an error and nothing more. Its signal, SIGPIPE, would terminate a process that does
    /// not ignore it, and SwiftNIO ignores it only from its first socket on.
    ///
    /// - Throws: The system's error; EPIPE if nothing can read the pipe any more.
    package static func write(_ data: Data, to pipe: FileHandle) throws {
        #if canImport(Darwin)
            _ = fcntl(pipe.fileDescriptor, F_SETNOSIGPIPE, 1)
            try pipe.write(contentsOf: data)
        #else
            var signal = sigset_t()
            var before = sigset_t()
            sigemptyset(&signal)
            sigaddset(&signal, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signal, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            do {
                try pipe.write(contentsOf: data)
            } catch {
                // The signal of a failed write is pending for this thread, and must not be when it is unblocked.
                var (pending, taken) = (sigset_t(), Int32(0))
                sigpending(&pending)
                if sigismember(&pending, SIGPIPE) == 1 { sigwait(&signal, &taken) }
                throw error
            }
        #endif
    }
}
