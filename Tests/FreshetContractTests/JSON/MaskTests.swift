// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `Masked values` {
    private static let secret = "s3cr3t-t0ken"

    private func shown(_ value: some Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let children = Mirror(reflecting: value).children.map { "\($0)" }.joined()
        return "\(value) \(String(describing: value)) \(String(reflecting: value)) \(dumped) \(children)"
    }

    @Test func `descriptions of a JSON value do not contain its content`() {
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

    @Test func `descriptions of a JSON object do not contain its members' values`() {
        let object = JSONObject([.init("access_token", .string(Self.secret))])
        #expect(!shown(object).contains(Self.secret))
        #expect(!shown(object.members).contains(Self.secret))
    }

    @Test func `descriptions of template values contain the names and not the values`() {
        var values = TemplateValues(["refresh_token": .string(Self.secret)])
        values["device"] = .object(JSONObject([.init("name", .string(Self.secret))]))
        #expect(!shown(values).contains(Self.secret))
        #expect(!shown(["a": values]).contains(Self.secret))
        #expect("\(values)" == "TemplateValues(device, refresh_token)")
    }

    @Test func `a JSON parser fault does not contain the text that cannot be parsed`() {
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

    @Test func `the error for a missing template value does not contain the other values`() throws {
        let values = TemplateValues(["password": .string(Self.secret)])
        let template = try Template("$password:$code")
        #expect(throws: MissingValue(name: "code")) { try template.text(values) }
    }
}
