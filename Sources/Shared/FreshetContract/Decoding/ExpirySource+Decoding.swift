// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension DecodingCursor {
    func unit(_ units: [ExpirySource.Unit]) -> ExpirySource.Unit? {
        guard let unit = choice(of: ExpirySource.Unit.self) else { return nil }
        if units.contains(unit) { return unit }
        diagnose("Here the unit is one of \(units.map { "'\($0.rawValue)'" }.joined(separator: ", ")).")
        return nil
    }
}

extension ExpirySource {
    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(["in", "at", "unit", "since", "jwt", "assume"]) else { return nil }
        guard let (key, source) = fields.only(of: ["in", "at", "jwt", "assume"]) else {
            cursor.diagnose("One of 'in', 'at', 'jwt' and 'assume' must say where the time is.")
            return nil
        }
        if key != "in", key != "at" { fields.refuse(["unit"], "A unit goes with 'in' and 'at' alone.") }
        if key != "in" { fields.refuse(["since"], "'since' goes with 'in' alone.") }
        switch key {
        case "in":
            let place = Selector(source)
            let unit = fields["unit"].map { $0.unit([.seconds, .milliseconds]) } ?? .seconds
            let since = fields["since"].flatMap { Selector($0) }
            guard let place, let unit else { return nil }
            self = .lifetime(place, unit, since: since)
        case "at":
            let place = Selector(source), unit = fields.required("unit")?.unit(Unit.allCases)
            guard let place, let unit else { return nil }
            self = .instant(place, unit)
        case "jwt":
            guard let claim = source.text() else { return nil }
            if claim != "exp" { source.diagnose("The only claim that says when a token ends is 'exp'.") }
            self = .token
        default:
            guard let seconds = source.seconds() else { return nil }
            self = .assumed(seconds)
        }
    }
}
