// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import FreshetContractLint
import Testing

@testable import FreshetContract

/// Input may be arbitrary: decoding it returns a value or throws, and never crashes.
///
/// A failure names its seed, which is all that it takes to see it again.
@Suite struct `Fuzzed input` {
    private static let small = [
        #"{"access_token":"a.b.c","expires_in":3600,"user":{"id":1.5e3,"name":"\u00e9\ud83d\ude00"}}"#,
        #"[null,true,false,-0,[],{},"\"\\\/\b\f\n\r\t",[[1],[2,[3]]]]"#,
        #"{"contract":1,"name":"a","endpoints":{"refresh":{"path":"/r/$id","form":{"t":"$refresh_token"}}},"#
            + #""reply":{"access":"/a","refresh":["/b","header:X"],"expiry":[{"in":"/e"},{"assume":9}]},"rotation":"optional","#
            + #""classify":[{"on":"refresh","status":[400,"401-403"],"if":{"at":"/e","equals":1},"outcome":"sessionEnded"}]}"#,
        #"{"contract":1.5,"name":"b","reply":{"access":"cookie:c"},"rotation":"none","policy":{"refreshBefore":1},"more":[1],"#
            + #""socket":{"path":"/s","token":{"message":["$access_token"]},"renewal":"reconnect"},"server":{"rotation":"plain"}}"#,
    ].map { Array($0.utf8) }

    @Test(arguments: 1...8)
    func `random bytes are parsed as JSON or refused`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            var text = (0..<random.below(40)).map { _ in UInt8(random.below(256)) }
            if random.below(2) == 0 { text = Array(#"{"[]},:0.e-"#.utf8).shuffled(using: &random) + text }
            read(text, seed)
        }
    }

    @Test(arguments: 101...108)
    func `damaged JSON is parsed or refused`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<700 { read(Self.damaged(&random, Self.small), seed) }
    }

    @Test(arguments: 201...208)
    func `a damaged contract is decoded or refused`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<400 { readContract(Self.damaged(&random, Self.small), seed) }
    }

    @Test(arguments: 301...304)
    func `a contract with values in the wrong places is decoded or refused`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let places = FullContract.json.places
        for _ in 0..<100 {
            var json = FullContract.json
            for _ in 0...random.below(4) {
                let value = FullContract.json.value(at: places[random.below(places.count)])
                json = json.replacing(places[random.below(places.count)][...], with: value)
            }
            check(json, seed)
        }
    }

    @Test(arguments: [65, 1000, 100_000])
    func `JSON that is nested too deeply is refused`(depth: Int) {
        for opening in ["[", "{\"a\":", "[{\"\":"] {
            let text = String(repeating: opening, count: depth)
            #expect(throws: JSONParser.Fault.self) { try JSONParser.parse(text.utf8) }
        }
    }

    // MARK: What holds for every text

    private static func damaged(_ random: inout SplitMix64, _ texts: [[UInt8]]) -> [UInt8] {
        var text = texts[random.below(texts.count)]
        for _ in 0...random.below(3) {
            TextCorruption.allCases[random.below(TextCorruption.allCases.count)].apply(to: &text, &random)
        }
        return text
    }

    private func read(_ text: [UInt8], _ seed: UInt64) {
        do throws(JSONParser.Fault) {
            let value = try JSONParser.parse(text)
            let again = try? JSONParser.parse(value.jsonText.utf8)
            if again != value { Issue.record("seed \(seed): \(value.jsonText) is not read as it was written") }
        } catch {
            if error.line < 1 || error.column < 1 || error.sentence.isEmpty { Issue.record("seed \(seed): \(error)") }
        }
    }

    private func readContract(_ text: [UInt8], _ seed: UInt64) {
        do throws(JSONParser.Fault) { check(try JSONParser.parse(text), seed) } catch {
            if (try? ContractDocument(reading: text)) != nil {
                Issue.record("seed \(seed): a contract that is no JSON")
            }
        }
    }

    private func check(_ json: JSONValue, _ seed: UInt64) {
        do throws(ContractDecodingError) {
            let document = try ContractDocument(json)
            if document.name.isEmpty || document.reply.access.isEmpty { Issue.record("seed \(seed): \(json.jsonText)") }
            let lines = ContractExplanation(document).lines
            if lines.contains(where: { $0.contains("\n") }) { Issue.record("seed \(seed): \(lines)") }
            let advice = ContractLint.findings(in: document)
            if advice.contains(where: { !$0.path.hasPrefix("$") }) { Issue.record("seed \(seed): \(advice)") }
        } catch {
            let isTold = error.diagnostics.allSatisfy { $0.path.hasPrefix("$") && !$0.sentence.isEmpty }
            if error.diagnostics.isEmpty || !isTold { Issue.record("seed \(seed): \(error)") }
        }
    }
}
