// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// The target that this process fuzzes, by its name in the environment.
private let target = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap(FuzzTarget.init)

/// Called by libFuzzer before the first input.
///
/// With `FUZZ_UNPACK` or `FUZZ_PACK`, it converts between a file and a folder of inputs, and ends the process.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
    let environment = ProcessInfo.processInfo.environment
    do {
        if let file = environment["FUZZ_UNPACK"], let folder = environment["FUZZ_FOLDER"] {
            for (index, input) in try FuzzCorpus(file: URL(filePath: file)).inputs.enumerated() {
                try Data(input).write(to: URL(filePath: folder).appending(path: "stored-\(index)"))
            }
            exit(0)
        }
        if let file = environment["FUZZ_PACK"], let folder = environment["FUZZ_FOLDER"] {
            try FuzzCorpus(folder: URL(filePath: folder)).write(to: URL(filePath: file))
            exit(0)
        }
    } catch {
        print("fuzz: \(error)")
        exit(1)
    }
    guard target != nil else {
        print("fuzz: FUZZ_TARGET names no target")
        exit(64)
    }
    return 0
}

/// Called by libFuzzer with each input; an input without the target's property ends the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    do { _ = try target?.check(input) } catch { fatalError("\(error)") }
    return 0
}
