// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension UserSource {
    init?(_ cursor: DecodingCursor) {
        guard cursor.value.object != nil else {
            guard let place = Selector(cursor) else { return nil }
            self = .place(place)
            return
        }
        guard let fields = cursor.fields(["jwt", "at"]) else { return nil }
        let claim = fields.required("jwt")?.text()
        let token = fields["at"].map { Selector($0) }
        guard let claim, token != .some(nil) else { return nil }
        self = .claim(claim, of: token ?? nil)
    }

    static func list(_ cursor: DecodingCursor) -> [UserSource] { cursor.oneOrMore().compactMap { UserSource($0) } }
}
