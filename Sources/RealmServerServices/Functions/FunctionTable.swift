// SPDX-License-Identifier: Apache-2.0

// The functions of an app: closures of the server's program, and webhooks.

#if Server
package import RealmFormats
package import RealmServerEngine
package import RealmSyncProtocol

/// The closures of a program, by their names.
package struct FunctionTable: Sendable {
  /// Carries out a call.
  package typealias Function = @Sendable (FunctionCall) async throws -> BSONValue

  struct Entry: Sendable {
    let options: FunctionOptions
    let function: Function
  }

  private var entries: [String: Entry] = [:]

  package init() {}

  /// The closure of a name, with the usual options.
  package subscript(name: String) -> Function? {
    get { entries[name]?.function }
    set { entries[name] = newValue.map { Entry(options: FunctionOptions(), function: $0) } }
  }

  /// Adds a closure, in place of one of the same name.
  package mutating func add(
    _ name: String, _ options: FunctionOptions, _ function: @escaping Function
  ) {
    entries[name] = Entry(options: options, function: function)
  }

  /// The names of all closures.
  package var names: [String] { entries.keys.sorted() }

  func entry(_ name: String) -> Entry? { entries[name] }
}

/// The callers of a function, and its time.
package struct FunctionOptions: Hashable, Sendable {
  /// Whether clients cannot call it: triggers and other functions can.
  package var isPrivate: Bool
  /// A condition on its callers.
  package var canEvaluate: RuleExpression
  package var timeout: Milliseconds

  package static let timeoutRange: ClosedRange<Milliseconds> = 1_000...300_000

  package init(
    isPrivate: Bool = false, canEvaluate: RuleExpression = .constant(true),
    timeout: Milliseconds = 30_000
  ) {
    self.isPrivate = isPrivate
    self.canEvaluate = canEvaluate
    self.timeout = timeout
  }
}

/// A function as the app's file has it.
package struct FunctionSettings: Hashable, Sendable {
  package var name: String
  /// Nil for a closure of the program.
  package var webhook: Webhook?
  package var options: FunctionOptions

  package init(
    _ name: String, webhook: Webhook? = nil, _ options: FunctionOptions = FunctionOptions()
  ) {
    self.name = name
    self.webhook = webhook
    self.options = options
  }

  /// Whether a text can be the name of a function.
  package static func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && $0 != "\"" }
  }
}
#endif
