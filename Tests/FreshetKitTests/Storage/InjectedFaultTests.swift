// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@testable import FreshetKit

/// The suite for stores finds what a store can do wrong, and names the rule.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `Planted faults of a store` {
    /// How often each is planted: `FRESHET_PLANT_ROUNDS`, once by default.
    private static let rounds = ProcessInfo.processInfo.environment["FRESHET_PLANT_ROUNDS"].flatMap(Int.init) ?? 1

    @Test(arguments: InjectedFault.allCases)
    func `the store contract finds an injected fault and names the violated rule`(fault: InjectedFault) throws {
        for _ in 0..<Self.rounds {
            let disk = FaultyDisk()
            var violation: SessionStoreContract.Violation?
            do throws {
                try SessionStoreContract.check {
                    FaultyStore(disk, $0, fault)
                } remains: {
                    disk.exists($0)
                }
            } catch let found as SessionStoreContract.Violation { violation = found }
            guard fault != .nothing else {
                #expect(violation == nil, "\(String(describing: violation))")
                continue
            }
            let found = try #require(violation, "the fault was not found")
            #expect(fault.rules.contains(found.rule), "\(found)")
            #expect(found.description.contains(found.rule.rawValue))
        }
    }

    @Test func `the contract for several stores finds faults in store names`() throws {
        for isCaseIgnored in [true, false] {
            let stores = FaultyStores(ignoresCase: isCaseIgnored)
            let found = #expect(throws: SessionStoreContract.Violation.self) {
                try SessionStoreContract.checkStores { stores }
            }
            #expect(found?.rule == .names)
        }
    }
}

/// Several stores whose names are not all told apart, or are listed though nothing is there.
private struct FaultyStores: SessionStores {
    let disk = FaultyDisk()
    let listed = Locked<Set<String>>([])
    let ignoresCase: Bool

    init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

    var name: String { "planted" }

    func names() throws(SessionStoreError) -> [String] {
        listed.withLock { $0.filter { !ignoresCase || disk.exists($0) }.sorted() }
    }

    func store(named name: String) -> any SessionStore {
        let place = ignoresCase ? name.lowercased() : name
        if !name.hasPrefix("contract-") { listed.withLock { _ = $0.insert(place) } }
        return FaultyStore(disk, place, .nothing)
    }
}
