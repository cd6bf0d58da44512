// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Mirror {
    /// A mirror in which nothing is to be seen, for public types that hold a secret.
    static func concealing<Subject>(_ subject: Subject) -> Mirror {
        Mirror(subject, children: EmptyCollection(), displayStyle: .struct)
    }
}
