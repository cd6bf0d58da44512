// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A name that is compared by code points (RFC 8259 section 8.3, RFC 6901 section 6).
///
/// Swift's strings are equal if they are canonically equivalent, even if their code points differ.
struct ExactName: Hashable {
    private let text: String

    init(_ text: String) { self.text = text }

    static func == (a: ExactName, b: ExactName) -> Bool { areSame(a.text, b.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    static func areSame(_ a: String, _ b: String) -> Bool { a == b && a.utf8.elementsEqual(b.utf8) }
}
