// SPDX-License-Identifier: Apache-2.0

// Services that this release declares and does not have: each call says so.

import Foundation
import RealmTestSupport
import Testing

@testable import RealmSwift

@Suite struct UnavailableServiceTests {
  private let user: User
  private let app: App

  init() async throws {
    app = try MemoryApp().device("first")
    user = try await app.login(credentials: .anonymous)
  }

  /// Expects that a call throws what calls of missing services throw.
  private func expect(
    _ location: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
  ) async {
    do {
      try await call()
      Issue.record("nothing was thrown", sourceLocation: location)
    } catch AppError.notCallable {
      // As it must be.
    } catch {
      Issue.record("\(error)", sourceLocation: location)
    }
  }

  @Test func keys() async {
    let (keys, id) = (user.apiKeysAuth, ObjectId.generate())
    await expect { _ = try await keys.createAPIKey(named: "a") }
    await expect { _ = try await keys.fetchAPIKey(id) }
    await expect { _ = try await keys.fetchAPIKeys() }
    await expect { try await keys.deleteAPIKey(id) }
    await expect { try await keys.enableAPIKey(id) }
    await expect { try await keys.disableAPIKey(id) }
    await confirmation(expectedCount: 6) { called in
      let refused: @Sendable ((any Error)?) -> Void = { error in
        if let error, AppError.notCallable ~= error { called() }
      }
      keys.createAPIKey(named: "a") { refused($1) }
      keys.fetchAPIKey(id) { refused($1) }
      keys.fetchAPIKeys { refused($1) }
      keys.deleteAPIKey(id, completion: refused)
      keys.enableAPIKey(id, completion: refused)
      keys.disableAPIKey(id, completion: refused)
    }
  }

  @Test func pushMessages() async {
    let push = app.pushClient(serviceName: "gcm")
    #expect(push.serviceName == "gcm")
    await expect { try await push.registerDevice(token: "a", user: user) }
    await expect { try await push.deregisterDevice(user: user) }
    await confirmation(expectedCount: 2) { called in
      let refused: @Sendable ((any Error)?) -> Void = { error in
        if let error, AppError.notCallable ~= error { called() }
      }
      push.registerDevice(token: "a", user: user, completion: refused)
      push.deregisterDevice(user: user, completion: refused)
    }
  }

  @Test func documents() async {
    let client = user.mongoClient("mongodb-atlas")
    let database = client.database(named: "home")
    let todos = database.collection(withName: "Todo")
    #expect(client.name == "mongodb-atlas" && database.name == "home" && todos.name == "Todo")
    let (filter, options) = (["a": 1] as Document, FindOneAndModifyOptions())
    await expect { _ = try await todos.insertOne(filter) }
    await expect { _ = try await todos.insertMany([filter]) }
    await expect { _ = try await todos.find(filter: filter) }
    await expect { _ = try await todos.findOneDocument(filter: filter) }
    await expect { _ = try await todos.aggregate(pipeline: [filter]) }
    await expect { _ = try await todos.count(filter: filter) }
    await expect { _ = try await todos.deleteOneDocument(filter: filter) }
    await expect { _ = try await todos.deleteManyDocuments(filter: filter) }
    await expect { _ = try await todos.updateOneDocument(filter: filter, update: filter) }
    await expect { _ = try await todos.updateManyDocuments(filter: filter, update: filter) }
    await expect {
      _ = try await todos.findOneAndUpdate(filter: filter, update: filter, options: options)
    }
    await expect {
      _ = try await todos.findOneAndReplace(filter: filter, replacement: filter, options: options)
    }
    await expect { _ = try await todos.findOneAndDelete(filter: filter, options: options) }
  }

  @Test func optionsKeepWhatTheyAreGiven() {
    let find = FindOptions(3, ["a": 1], [["b": -1]])
    #expect(find.limit == 3 && find.projection == ["a": 1] && find.sorting == [["b": -1]])
    let modify = FindOneAndModifyOptions(["a": 1], [["b": -1]], true, true)
    #expect(modify.projection == ["a": 1] && modify.sorting == [["b": -1]])
    #expect(modify.upsert && modify.shouldReturnNewDocument)
  }
}
