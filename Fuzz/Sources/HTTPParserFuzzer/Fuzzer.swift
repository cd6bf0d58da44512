// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Called by libFuzzer with each input; a difference between the two readers ends the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPParser(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    do { _ = try DecoderComparison().compare(input) } catch { fatalError("\(error)") }
    return 0
}
