// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Platform restrictions` {
    @Test
    func `EPERM and EACCES mean locked in a writable folder on iOS and watchOS, and denied elsewhere`() {
        for code in [EPERM, EACCES] {
            for platform in [Platform.iOS, .watchOS] {
                #expect(platform.kind(ofRefusal: code, isFolderWritable: true) == .locked)
                #expect(platform.kind(ofRefusal: code, isFolderWritable: false) == .denied)
            }
            // Apple TV has no lock, and neither Mac nor Linux seals files.
            for platform in [Platform.tvOS, .macOS, .linux] {
                #expect(platform.kind(ofRefusal: code, isFolderWritable: true) == .denied)
                #expect(platform.kind(ofRefusal: code, isFolderWritable: false) == .denied)
            }
        }
        for platform in [Platform.iOS, .tvOS, .watchOS, .macOS, .linux] {
            #expect(platform.kind(ofRefusal: ELOOP, isFolderWritable: true) == .denied)
            #expect(platform.kind(ofRefusal: EROFS, isFolderWritable: false) == .denied)
            #expect(platform.kind(ofRefusal: ENOSPC, isFolderWritable: true) == .failed)
            #expect(platform.kind(ofRefusal: EMFILE, isFolderWritable: true) == .failed)
        }
    }

    @Test func `Apple TV stores files in the caches folder and has no installation marker`() throws {
        let folder = try Folder()
        #expect(Platform.tvOS.standardDirectory == .cachesDirectory)
        #expect(InstallationMarker.standard(forService: "a", in: folder.url, on: .tvOS) == nil)
        for platform in [Platform.iOS, .watchOS, .macOS] {
            #expect(platform.standardDirectory == .applicationSupportDirectory)
            #expect(InstallationMarker.standard(forService: "a", in: folder.url, on: platform)?.state() == .missing)
            #expect(InstallationMarker.standard(forService: "a", in: nil, on: platform) == nil)
        }
    }

    @Test func `iOS, watchOS and tvOS suspend apps, and only iOS and watchOS have data protection`() {
        #expect(
            [Platform.iOS, .watchOS, .tvOS, .macOS, .linux].map(\.suspendsApps) == [true, true, true, false, false]
        )
        #expect(
            [Platform.iOS, .watchOS, .tvOS, .macOS, .linux].map(\.hasDataProtection) == [
                true, true, false, false, false,
            ]
        )
    }

    // MARK: A keychain whose folder is denied for good

    @Test(arguments: [true, false], [InstallationMarker.State.missing, .unsupported])
    func `a user signs in, stays signed in and signs out where no file can be created`(
        keeping: Bool,
        state: InstallationMarker.State
    ) async throws {
        let keychain = FakeKeychain(), bench = SessionFixture()
        let denied = SessionStoreError(.denied, "cannot make the folder: Operation not permitted")
        let marker = InstallationMarker {
            state
        } prepare: { () throws(SessionStoreError) in
            throw denied
        } make: { () throws(SessionStoreError) in
            throw denied
        }
        func session() throws -> AuthSession {
            let stores = KeychainStores(
                calls: keychain.calls(),
                service: "example",
                folder: nil,
                marker: marker,
                keepsSessionOverReinstall: keeping
            )
            return try bench.session(store: stores.store(named: "session"))
        }
        #expect(try session().state == .signedOut(nil))
        try await session().signIn(.test)
        #expect(try session().state == .active)
        #expect(try session().state == .active, "no launch is taken for the first of an installation")
        try await session().signOut()
        #expect(try session().state == .signedOut(nil))
    }

    @Test func `a session signs in and refreshes although the folder of its lock and marker cannot be created`()
        async throws
    {
        let folder = try Folder(), keychain = FakeKeychain()
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let store = KeychainStores(
            calls: keychain.calls(),
            service: "example",
            folder: file,
            marker: .file(forService: "example", in: file),
            keepsSessionOverReinstall: false
        ).keychainStore(named: "session")
        let bench = SessionFixture()
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        bench.clock.advance(by: .seconds(601))
        #expect(
            try await session.accessToken().value == "access-2",
            "a lock that can never be opened is no reason to wait"
        )
    }

    @Test func `a lookup of an absent older item returns nil although no marker can be created`() throws {
        let folder = try Folder(), keychain = FakeKeychain()
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let items = LegacyKeychainItems(calls: keychain.calls(), marker: .file("older-items", in: file))
        #expect(try items.text(of: LegacyItem("missing")) == nil)
    }
}
