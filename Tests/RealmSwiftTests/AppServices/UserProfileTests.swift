// SPDX-License-Identifier: Apache-2.0

// The profiles of users, and the settings of sessions.

import Foundation
import RealmSync
import RealmTestSupport
import Testing

@testable import RealmSwift

@Suite struct UserProfileTests {
  @Test func profilesHaveWhatTheProviderTold() {
    let profile = UserProfile([
      "name": "Ann Lee", "email": "a@b.c", "picture_url": "http://x/p.png", "first_name": "Ann",
      "last_name": "Lee", "gender": "f", "birthday": "1990-01-02", "min_age": "18",
      "max_age": "99", "team": 7,
    ])
    #expect(profile.name == "Ann Lee" && profile.email == "a@b.c")
    #expect(profile.pictureURL == URL(string: "http://x/p.png"))
    #expect(profile.firstName == "Ann" && profile.lastName == "Lee" && profile.gender == "f")
    #expect(profile.birthday == "1990-01-02")
    #expect(profile.minAge == "18" && profile.maxAge == "99")
    #expect(profile.metadata["team"] == 7)
    #expect(UserProfile([:]).name == nil && UserProfile(["name": 1]).name == nil)
  }

  @Test func appsKnowTheirUsersAndSettings() async throws {
    let memory = try MemoryApp()
    let app = memory.device("first")
    #expect(app == memory.device("first") && app != memory.device("second"))
    let user = try await app.login(credentials: .anonymous)
    #expect(app.allUsers == [user.id: user] && app.switch(to: user) == user)
    #expect(app.configuration.baseURL == "http://memory")
    #expect(app.configuration.defaultRequestTimeoutMS == 60_000)
    #expect(app.configuration.enableSessionMultiplexing && app.configuration.transport == nil)
    let manager = app.syncManager
    #expect(manager.appID == app.appId)
    manager.userAgent = "Todos/1"
    manager.customRequestHeaders = ["X-Team": "7"]
    manager.authorizationHeaderName = "X-Auth"
    #expect(manager.userAgent == "Todos/1" && manager.authorizationHeaderName == "X-Auth")
    #expect(manager.customRequestHeaders == ["X-Team": "7"])
    let agent = try #require(manager.headers.first { $0.name == "User-Agent" }).value
    #expect(agent.hasPrefix("RealmSync/") && agent.hasSuffix(" Todos/1"))
    let options = SyncTimeoutOptions()
    #expect(options.connectTimeout == 120_000 && options.connectionLingerTime == 30_000)
    #expect(options.pingKeepalivePeriod == 60_000 && options.pongKeepaliveTimeout == 120_000)
    #expect(options.fastReconnectLimit == 60_000)
    options.connectTimeout = 5_000
    manager.timeoutOptions = options
    #expect(manager.timeoutOptions.connectTimeout == 5_000)
  }
}
