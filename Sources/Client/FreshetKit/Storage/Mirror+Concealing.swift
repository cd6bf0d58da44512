// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Mirror {
    /// Returns a mirror without contents, for public types that contain a secret.
    static func concealing<Subject>(_ subject: Subject) -> Mirror {
        Mirror(subject, children: EmptyCollection(), displayStyle: .struct)
    }
}
