// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
package import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file descriptors of this process.
package enum OpenFiles {
    /// The limit of descriptors, and the number in use.
    static var budget: DescriptorBudget? {
        guard let limit, let open = try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count else {
            return nil
        }
        return DescriptorBudget(limit: limit, inUse: open)
    }

    /// Whether half of the reserve of descriptors is used.
    ///
    /// It takes three system calls, and is called for each accepted connection.
    ///
    /// `known` is the number of descriptors that the server counts; a leak elsewhere shows only in the lowest free
    /// number.
    static func areNearlyExhausted(known: Int) -> Bool {
        guard let limit else { return false }
        // The system assigns the lowest free number, so all lower numbers are in use.
        let free = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard free >= 0 else { return errno == EMFILE }
        close(free)
        return DescriptorBudget(limit: limit, inUse: max(known, Int(free))).isShort
    }

    /// The limit of open files, or `nil` for none.
    private static var limit: Int? {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(Int32.max) else { return nil }
        return Int(limit.rlim_cur)
    }

    /// Limits connections to the available descriptors, and warns if more are configured.
    package static func limitConnectionsToDescriptors(of admission: AdmissionController, configured: Int, log: Logger) {
        guard let budget else { return }
        admission.open.setFilesAtStart(budget.inUse)
        let possible = budget.connections(atMost: configured)
        guard possible < configured else { return }
        admission.limitConnections(to: possible)
        log.warning(
            "the limit of open files allows fewer connections than max-connections: raise it (LimitNOFILE, ulimit -n), or lower max-connections",
            metadata: [
                "open_files": .stringConvertible(budget.limit), "max_connections": .stringConvertible(configured),
                "connections": .stringConvertible(possible),
            ]
        )
    }
}
