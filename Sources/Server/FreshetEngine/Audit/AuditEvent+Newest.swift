// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension [AuditEvent] {
    /// The newest of a list in order, of which a fifth at most are refused sign-ins: whoever tries in vain must not push
    /// out of sight what succeeded.
    package func newest(_ count: Int) -> [AuditEvent] {
        var (places, refusals) = (count, count / 5)
        var found: [AuditEvent] = []
        for event in reversed() where places > 0 {
            if event.kind == .loginRefused {
                guard refusals > 0 else { continue }
                refusals -= 1
            }
            places -= 1
            found.append(event)
        }
        return found.reversed()
    }
}
