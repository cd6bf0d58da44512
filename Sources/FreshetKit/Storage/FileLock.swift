// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A lock that is held until it is released, or until the process ends.
struct FileLock {
    let file: Int32

    func release() { close(file) }
}
