// SPDX-License-Identifier: Apache-2.0

// The snippets of the articles about moving from SwiftData and from GRDB.

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

enum MovingArticle {
  // snippet: moving-trip-model
  class Trip: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var name: String
    @Persisted var starts: Date
    @Persisted(onDelete: .cascade) var stops: List<Stop>
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }

  class Stop: Object {
    @Persisted var place: String
    @Persisted(originProperty: "stops") var trips: LinkingObjects<Trip>
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end

  // snippet: moving-player-model
  class Player: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(indexed: true) var score: Int
    @Persisted var team: Team?
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }

  class Team: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "team") var players: LinkingObjects<Player>
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct MovingSnippets {
  @Test func fromSwiftData() async throws {
    typealias Trip = MovingArticle.Trip
    let folder = try ArticleFolder()
    let configuration = folder.configuration([Trip.self, MovingArticle.Stop.self])
    let today = Date(timeIntervalSince1970: 0)
    // snippet: moving-swiftdata-use
    let realm = try await Realm(configuration: configuration)  // For `ModelContext`.
    try await realm.asyncWrite {  // For changes and `save()`.
      realm.create(
        Trip.self, value: ["name": "Norway", "starts": today, "stops": [["place": "Bergen"]]])
    }
    let next = realm.objects(Trip.self)  // For `FetchDescriptor`, and live.
      .where { $0.starts >= today }
      .sorted(by: \.starts)
    // snippet end
    #expect(next.count == 1 && next[0].stops[0].trips.count == 1)
    // snippet: moving-swiftdata-actor
    let id = PersistentID(next[0])  // For `PersistentIdentifier`.
    try await Realm.write(to: configuration) { realm in  // For a `ModelActor`.
      realm[id]?.name = "Norway and Sweden"
    }
    // snippet end
    await realm.asyncRefresh()
    #expect(next[0].name == "Norway and Sweden")
  }

  @Test func fromGRDB() async throws {
    typealias Player = MovingArticle.Player
    let folder = try ArticleFolder()
    let configuration = folder.configuration([Player.self, MovingArticle.Team.self])
    // snippet: moving-grdb-use
    try await Realm.write(to: configuration) { realm in  // For `write { db in }`.
      realm.add(Player(value: ["id": 1, "name": "Ada", "score": 90, "team": ["Reds"]]))
    }
    let best = try await Realm.read(from: configuration) { realm in  // For `read { db in }`.
      realm.objects(Player.self)
        .where { $0.team.name == "Reds" }
        .sorted(by: \.score, ascending: false)
        .limit(10)
        .snapshots()
    }
    print(best.map(\.name), best.first?.team?.name ?? "")
    // snippet end
    #expect(best.map(\.score) == [90] && best[0].team?.name == "Reds")

    let realm = try await Realm(configuration: configuration)
    // snippet: moving-grdb-observe
    // For `ValueObservation`: the change, at a cost that follows the change.
    let token = realm.objects(Player.self).where { $0.score > 50 }.observe { change in
      if case .update(_, let deletions, let insertions, let modifications) = change {
        print(deletions, insertions, modifications)
      }
    }
    // snippet end
    token.invalidate()
  }
}
