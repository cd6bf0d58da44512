// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A lock that is held until it is released, or until the process ends.
struct FileLock {
    let file: Int32

    func release() { close(file) }

    /// Takes the lock if nobody has it.
    func attempt() throws(StoreUnavailable) -> Bool {
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else {
            let fault = StoreUnavailable.system("lock")
            release()
            throw fault
        }
        return false
    }
}
