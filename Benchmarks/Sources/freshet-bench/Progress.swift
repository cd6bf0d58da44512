// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Says on standard error what takes so long; standard output has the figures alone.
enum Progress {
    static func show(_ text: String) {
        FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
    }
}
