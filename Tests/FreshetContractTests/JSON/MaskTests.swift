// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `What may hold a token` {
    private static let secret = "s3cr3t-t0ken"

    private func shown(_ value: some Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let children = Mirror(reflecting: value).children.map { "\($0)" }.joined()
        return "\(value) \(String(describing: value)) \(String(reflecting: value)) \(dumped) \(children)"
    }

    @Test func `prints a mask as a JSON value`() {
        let string = JSONValue.string(Self.secret)
        let number = JSONValue.number(JSONNumber(90_817_263))
        for value in [string, .array([string]), .object(JSONObject([.init("access_token", string)])), number] {
            #expect(!shown(value).contains(Self.secret), "\(shown(value))")
            #expect(!shown(value).contains("90817263"))
            #expect(!shown([value]).contains(Self.secret))
            #expect(!shown(Optional(value)).contains(Self.secret))
        }
        #expect("\(string)" == "a string")
    }

    @Test func `prints a mask as a member of an object`() {
        let object = JSONObject([.init("access_token", .string(Self.secret))])
        #expect(!shown(object).contains(Self.secret))
        #expect(!shown(object.members).contains(Self.secret))
    }

    @Test func `prints a mask as the values of templates`() {
        var values = TemplateValues(["refresh_token": .string(Self.secret)])
        values["device"] = .object(JSONObject([.init("name", .string(Self.secret))]))
        #expect(!shown(values).contains(Self.secret))
        #expect(!shown(["a": values]).contains(Self.secret))
        #expect("\(values)" == "TemplateValues(device, refresh_token)")
    }

    @Test func `is not in what is said of a text that cannot be read`() {
        let texts = [
            "{\"access_token\":\"\(Self.secret)", "{\"access_token\":\"\(Self.secret)\\x\"}", "[\"\(Self.secret)\" 1]",
            Self.secret,
            "{\"a\":\"\(Self.secret)\",\"a\":1}",
        ]
        for text in texts {
            do throws(JSONParser.Fault) {
                _ = try JSONParser.parse(text.utf8)
                Issue.record("\(text) is read")
            } catch { #expect(!shown(error).contains(Self.secret)) }
        }
    }

    @Test func `is not in what is said of a value that is missing`() throws {
        let values = TemplateValues(["password": .string(Self.secret)])
        let template = try Template("$password:$code")
        #expect(throws: MissingValue(name: "code")) { try template.text(values) }
    }
}
