// SPDX-License-Identifier: Apache-2.0

// The changes of all classes between two versions.

/// What changed in a file between the version of a ``HistoryToken`` and the one that a realm shows.
///
/// A value: it may be sent to any thread, and keeps no version alive.
public struct RealmChanges: Sendable {
  /// The version that the changes lead to, to ask for the next ones.
  public let token: HistoryToken
  private let classes: [String: ObjectChanges]

  init(_ classes: [String: ObjectChanges], upTo token: HistoryToken) {
    self.classes = classes
    self.token = token
  }

  /// The names of the classes whose objects came, changed or went, sorted; those of embedded
  /// objects are not among them.
  public var classNames: [String] { classes.keys.sorted() }

  /// Whether no object changed.
  public var isEmpty: Bool { classes.isEmpty }

  /// The changes of a class.
  ///
  /// - Complexity: O(number of changes of the class).
  public subscript<Model: Object>(type: Model.Type) -> ClassChanges<Model> {
    ClassChanges(classes[type.className()] ?? ObjectChanges())
  }

  /// The changes of the class called `className`, which the program need not have.
  ///
  /// - Complexity: O(number of changes of the class).
  public func dynamicChanges(ofType className: String) -> ClassChanges<DynamicObject> {
    ClassChanges(classes[className] ?? ObjectChanges())
  }
}
