// SPDX-License-Identifier: Apache-2.0

// What the server and the client share: the values in calls.

/// What a person logs in with.
public struct Ticket: Codable, Hashable, Sendable {
  /// The name of the person.
  public var name: String
  /// The word that the household knows.
  public var word: String

  /// The ticket of a person.
  public init(name: String, word: String) {
    self.name = name
    self.word = word
  }
}

/// How many errands there are.
public struct Summary: Codable, Hashable, Sendable {
  /// Those that are not done.
  public var open: Int
  /// Those that are done.
  public var done: Int

  /// A summary of some errands.
  public init(open: Int, done: Int) {
    self.open = open
    self.done = done
  }
}
