// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Compiled into the module whose mutants are tested. Each mutated place calls one of these functions with the numbers of
// its mutants (0 for one that does not compile); FRESHET_MUTANT is the number of the active one. FRESHET_MUTANTS_REACHED names
// a file with a byte for each mutant: 1 if its place was evaluated.

import Foundation

private let activeMutant = Int(ProcessInfo.processInfo.environment["FRESHET_MUTANT"] ?? "") ?? -1

// Mapped into all processes of a test, as a killed worker writes nothing when it ends.
private nonisolated(unsafe) let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = ProcessInfo.processInfo.environment["FRESHET_MUTANTS_REACHED"] else { return nil }
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    guard file >= 0, ftruncate(file, 65536) == 0 else { return nil }
    defer { close(file) }
    let bytes = mmap(nil, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return bytes == MAP_FAILED ? nil : bytes?.assumingMemoryBound(to: UInt8.self)
}()

private func isActive(_ mutant: Int) -> Bool {
    if let reached { reached[mutant] = 1 }
    return mutant == activeMutant
}

public func freshetOriginal(_ mutant: Int) -> Bool { !isActive(mutant) }
public func freshetForced(_ true: Int, _ false: Int, _ value: Bool) -> Bool {
    let (isTrue, isFalse) = (isActive(`true`), isActive(`false`))
    return isTrue || (value && !isFalse)
}
public func freshetNegated(_ mutant: Int, _ value: Bool) -> Bool { isActive(mutant) != value }
public func freshetNil<Value>(_ mutant: Int, _ value: Value?) -> Value? { isActive(mutant) ? nil : value }
public func freshetEmpty<Value>(_ mutant: Int, _ value: [Value]) -> [Value] { isActive(mutant) ? [] : value }
public func freshetInteger<Value: FixedWidthInteger>(_ mutant: Int, _ value: Value) -> Value {
    isActive(mutant) ? value &+ 1 : value
}
public func freshetInteger<Value: BinaryFloatingPoint>(_ mutant: Int, _ value: Value) -> Value {
    isActive(mutant) ? value + 1 : value
}
public func freshetLess<Value: Comparable>(_ mutant: Int, _ left: Value, _ right: Value) -> Bool {
    isActive(mutant) ? left <= right : left < right
}
public func freshetAtMost<Value: Comparable>(_ mutant: Int, _ left: Value, _ right: Value) -> Bool {
    isActive(mutant) ? left < right : left <= right
}
public func freshetMore<Value: Comparable>(_ mutant: Int, _ left: Value, _ right: Value) -> Bool {
    isActive(mutant) ? left >= right : left > right
}
public func freshetAtLeast<Value: Comparable>(_ mutant: Int, _ left: Value, _ right: Value) -> Bool {
    isActive(mutant) ? left > right : left >= right
}
public func freshetAnd(_ mutant: Int, _ left: Bool, _ right: @autoclosure () throws -> Bool) rethrows -> Bool {
    try isActive(mutant) ? left || right() : left && right()
}
public func freshetOr(_ mutant: Int, _ left: Bool, _ right: @autoclosure () throws -> Bool) rethrows -> Bool {
    try isActive(mutant) ? left && right() : left || right()
}
public func freshetDefault<Value>(_ mutant: Int, _ left: Value?, _ right: @autoclosure () throws -> Value) rethrows
    -> Value
{
    try isActive(mutant) ? right() : left ?? right()
}
public func freshetDefault<Value>(_ mutant: Int, _ left: Value?, _ right: @autoclosure () throws -> Value?) rethrows
    -> Value?
{
    try isActive(mutant) ? right() : left ?? right()
}
public func freshetRange<Bound: FixedWidthInteger>(_ mutant: Int, _ low: Bound, _ high: Bound) -> Range<Bound> {
    low..<(isActive(mutant) ? high + 1 : high)
}
public func freshetMinimum<Value: Comparable>(_ mutant: Int, _ left: Value, _ right: Value) -> Value {
    isActive(mutant) ? max(left, right) : min(left, right)
}
public func freshetMaximum<Value: Comparable>(_ mutant: Int, _ left: Value, _ right: Value) -> Value {
    isActive(mutant) ? min(left, right) : max(left, right)
}
