// SPDX-License-Identifier: Apache-2.0

// Functions in Swift, called by clients.

#if Server
import Foundation
import RealmServerKit
import RealmSwift
import Testing

struct KitFunctionTests {
  private struct Person: Codable, Equatable {
    var name: String
    var born: Date?
    var scores: [Int]
    var home: [String: Double]
  }

  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  private static var definition: AppDefinition {
    var app = AppDefinition.open()
    app.function("sum") { (call, a: Int, b: Int) in a + b }
    app.function("greet") { (call, name: String, title: String?) in
      "Hello, \(title.map { $0 + " " } ?? "")\(name)"
    }
    app.function("echo") { (call, value: AnyBSON) in value }
    app.function("nothing") { call in }
    app.function("who") { call -> String? in call.user?.id }
    app.function("all") { (call, a: Bool, b: Double, c: Data, d: UUID, e: ObjectId) -> Document in
      ["a": .bool(a), "b": .double(b), "c": .binary(c), "d": .uuid(d), "e": .objectId(e)]
    }
    app.function("more") {
      (call, a: Decimal128, b: Date, c: Int8, d: UInt64, e: Float) -> Document in
      [
        "a": .decimal128(a), "b": .datetime(b), "c": .int32(Int32(c)), "d": .string("\(d)"),
        "e": .double(Double(e)),
      ]
    }
    app.function("older") { (call, person: Person, years: Int) -> Person in
      var person = person
      person.born = person.born?.addingTimeInterval(Double(-years) * 86_400)
      person.scores.append(years)
      return person
    }
    app.function("fail") { (call, text: String) -> Int in throw Refusal(description: text) }
    app.function("inner", isPrivate: true) { (call, a: Int) in "inner \(a) \(call.user == nil)" }
    app.function("outer") { (call, a: Int) in
      try await call.callFunction("inner", [.int64(Int64(a))])
    }
    app.function("arguments") { (call, a: Int?, b: Int?) in call.arguments.count }
    app.function("unsigned") { call in UInt64.max }
    app.function("editors", canCall: .customData("editor").equals(true)) { call in 1 }
    return app
  }

  private static func withUser(_ body: (User) async throws -> Void) async throws {
    try await KitServer.run(definition) { server in try await body(server.user()) }
  }

  @Test func argumentsAndResultsAreTyped() async throws {
    try await Self.withUser { user in
      let sum = try await user.call("sum", [1, 2])
      #expect(sum == .int64(3))
      #expect(try await user.call("sum", [.int32(1), .double(2)]) == .int64(3))
      #expect(try await user.call("greet", ["Ann"]) == "Hello, Ann")
      #expect(try await user.call("greet", ["Ann", .null]) == "Hello, Ann")
      #expect(try await user.call("greet", ["Ann", "Dr"]) == "Hello, Dr Ann")
      #expect(try await user.call("nothing", []) == .null)
      #expect(try await user.call("who", []) == .string(user.id))
      #expect(try await user.call("arguments", []) == .int64(0))
      #expect(try await user.call("arguments", [1, 2]) == .int64(2))
      #expect(try await user.call("outer", [7]) == "inner 7 true")
    }
  }

  @Test func everyTypeOfBSONIsAnArgument() async throws {
    try await Self.withUser { user in
      let (id, uuid, data) = (ObjectId.generate(), UUID(), Data([1, 2, 255]))
      let first: Document = [
        "a": true, "b": 0.5, "c": .binary(data), "d": .uuid(uuid), "e": .objectId(id),
      ]
      #expect(
        try await user.call(
          "all",
          [
            true, 0.5, .binary(data), .uuid(uuid), .objectId(id),
          ]) == .document(first))
      let date = Date(timeIntervalSince1970: 1_700_000_000)
      let decimal = try #require(Decimal128("1.25" as String))
      let second: Document = [
        "a": .decimal128(decimal), "b": .datetime(date), "c": .int32(-128), "d": "3", "e": 0.5,
      ]
      #expect(
        try await user.call(
          "more",
          [
            .decimal128(decimal), .datetime(date), -128, 3, 0.5,
          ]) == .document(second))
      let values: [AnyBSON] = [
        .minKey, .array([1, nil]), .document(["a": nil, "b": "c"]), "text", .int32(1),
      ]
      for value in values { #expect(try await user.call("echo", [value]) == value) }
    }
  }

  @Test func documentsAreStructures() async throws {
    try await Self.withUser { user in
      let date = Date(timeIntervalSince1970: 86_400 * 3)
      let person: AnyBSON = .document([
        "name": "Ann", "born": .datetime(date), "scores": [1], "home": ["x": 0.5],
      ])
      let older = try await user.call("older", [person, 2])
      let expected: Document = [
        "name": "Ann", "born": .datetime(Date(timeIntervalSince1970: 86_400)),
        "scores": .array([.int64(1), .int64(2)]), "home": .document(["x": .double(0.5)]),
      ]
      #expect(older == .document(expected))
      let error = await KitServer.error {
        try await user.call(
          "older",
          [
            .document(["name": "Ann", "scores": ["x"], "home": [:]]), 2,
          ])
      }
      #expect(
        error?.message
          == "argument 1 of the function 'older' does not fit at scores.0: The value is a text, "
          + "and no Int.")
    }
  }

  /// `ValueDecoder` 1
  @Test(
    arguments: [
      ("sum", [], "the function 'sum' takes 2 arguments, and got 0"),
      ("sum", [1], "the function 'sum' takes 2 arguments, and got 1"),
      ("sum", [1, 2, 3], "the function 'sum' takes 2 arguments, and got 3"),
      ("echo", [1, 2], "the function 'echo' takes 1 argument, and got 2"),
      (
        "sum", [1, "2"],
        "argument 2 of the function 'sum' does not fit: The value is a text, and no Int."
      ),
      (
        "sum", [1, 2.5],
        "argument 2 of the function 'sum' does not fit: The value is a number, and no Int."
      ),
      (
        "sum", [1, .null],
        "argument 2 of the function 'sum' does not fit: The value is null, and no Int."
      ),
      (
        "greet", ["Ann", true],
        "argument 2 of the function 'greet' does not fit: The value is a boolean, and no String."
      ),
      (
        "more", [1, 1, 1, 1, 1],
        "argument 2 of the function 'more' does not fit: The value is a number, and no Date."
      ),
      (
        "more", [1, .datetime(Date()), 128, 1, 1],
        "argument 3 of the function 'more' does not fit: The value is a number, and no Int8."
      ),
      (
        "more", [1, .datetime(Date()), 1, -1, 1],
        "argument 4 of the function 'more' does not fit: The value is a number, and no UInt64."
      ),
      ("fail", ["no such room"], "no such room"),
      (
        "unsigned", [],
        "the result of the function 'unsigned' is no BSON: 18446744073709551615 is larger than "
          + "BSON's integers."
      ),
    ] as [(String, [AnyBSON], String)])
  func otherArgumentsAndErrorsAreTold(
    _ name: String, _ arguments: [AnyBSON], _ message: String
  ) async throws {
    try await Self.withUser { user in
      let error = await KitServer.error { try await user.call(name, arguments) }
      #expect(error?.code == .functionExecutionError)
      #expect(error?.message == message)
    }
  }

  @Test func functionsThatAreNotForTheCallerAreNotCalled() async throws {
    try await Self.withUser { user in
      #expect(
        await KitServer.error { try await user.call("inner", [1]) }?.code == .functionNotFound)
      #expect(
        await KitServer.error { try await user.call("other", []) }?.code == .functionNotFound)
      #expect(await KitServer.error { try await user.call("editors", []) }?.httpStatusCode == 403)
    }
  }

  @Test func aFunctionHasItsTime() async throws {
    var app = AppDefinition.open()
    app.function("sleep", timeout: .milliseconds(1)) { call in
      try await Task.sleep(for: .seconds(600))
    }
    try await KitServer.run(app) { server in
      let user = try await server.user()
      #expect(
        await KitServer.error { try await user.call("sleep", []) }?.code
          == .executionTimeLimitExceeded)
    }
  }

  @Test func theProgramCallsFunctionsToo() async throws {
    try await KitServer.run(Self.definition) { server in
      let app = try server.server.app("todos")
      #expect(try await app.callFunction("inner", [5]) == "inner 5 true")
      #expect(try await app.callFunction("who") == .null)
      await #expect(throws: AppError.self) { try await app.callFunction("none") }
    }
  }

  @Test func namesOfFunctionsHaveNoSpaces() throws {
    var app = AppDefinition.open()
    app.function("two words") { call in 1 }
    #expect(throws: ServerFailure.self) { try RealmServer(.init(folder: "/none"), apps: [app]) }
  }
}
#endif
