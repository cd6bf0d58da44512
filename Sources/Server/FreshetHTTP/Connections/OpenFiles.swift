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

/// The descriptors of this process.
package enum OpenFiles {
    /// What is open now, and what may be.
    static var budget: DescriptorBudget? {
        guard let limit, let open = try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count else {
            return nil
        }
        return DescriptorBudget(limit: limit, inUse: open)
    }

    /// Whether half of the reserve is used; three system calls, for each connection that is accepted.
    ///
    /// `known` is the number of descriptors that the server counts; a leak elsewhere shows in the lowest free number alone.
    static func areNearlyExhausted(known: Int) -> Bool {
        guard let limit else { return false }
        // The system gives the lowest number that is free: all below are in use.
        let free = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard free >= 0 else { return errno == EMFILE }
        close(free)
        return DescriptorBudget(limit: limit, inUse: max(known, Int(free))).isShort
    }

    /// `nil` if there is none.
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

    /// Admits no more connections than there are descriptors for, and says so if that is fewer than are configured.
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
