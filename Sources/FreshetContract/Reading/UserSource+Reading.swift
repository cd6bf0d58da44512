// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension UserSource {
    init?(_ spot: Spot) {
        guard spot.value.object != nil else {
            guard let place = Selector(spot) else { return nil }
            self = .place(place)
            return
        }
        guard let fields = spot.fields(["jwt", "at"]) else { return nil }
        let claim = fields.required("jwt")?.text()
        let token = fields["at"].map { Selector($0) }
        guard let claim, token != .some(nil) else { return nil }
        self = .claim(claim, of: token ?? nil)
    }

    static func list(_ spot: Spot) -> [UserSource] { spot.oneOrMore().compactMap { UserSource($0) } }
}
