// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension RefreshRequest: FlatDecodable {
    package init?(_ json: FlatJSON) {
        guard let refreshToken = json["refresh_token"] else { return nil }
        self.init(refreshToken: refreshToken, intent: json["intent"])
    }
}

extension PresentedToken: FlatDecodable {
    package init?(_ json: FlatJSON) {
        guard let refreshToken = json["refresh_token"] else { return nil }
        self.init(refreshToken: refreshToken)
    }
}
