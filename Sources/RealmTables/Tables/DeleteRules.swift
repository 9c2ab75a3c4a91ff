// SPDX-License-Identifier: Apache-2.0

// The program's rules for linked objects when an object is deleted. Nothing of them is in
// the file.

/// The effect of an object's deletion on the objects at the other end of its links.
package enum LinkDeleteRule: Sendable {
  /// They are deleted too.
  case cascade
  /// They are deleted too, unless an object that stays links to them.
  case cascadeIfOrphaned
  /// The object cannot be deleted as long as one of them stays.
  case deny
}

/// The rules of all tables.
public struct DeleteRules: Sendable {
  /// Where the objects are that a rule is about.
  package enum Source: Hashable, Sendable {
    /// At the ends of the links in a column.
    case links(ColumnKey)
    /// Where the links of another table's column come from.
    case backlinks(TableKey, ColumnKey)
  }

  /// One rule of a table.
  package struct Rule: Sendable {
    package let source: Source
    package let rule: LinkDeleteRule

    package init(_ source: Source, _ rule: LinkDeleteRule) {
      self.source = source
      self.rule = rule
    }
  }

  private let rules: [TableKey: [Rule]]
  /// The tables whose objects cannot be deleted without looking at rules: their own, or those of
  /// embedded objects.
  private let concerned: Set<TableKey>

  /// - Parameters:
  ///   - rules: By table.
  ///   - owned: By table, those of the embedded objects that its objects own.
  package init(_ rules: [TableKey: [Rule]], owned: [TableKey: [TableKey]]) {
    self.rules = rules
    var concerned = Set(rules.keys)
    var before = -1
    while before != concerned.count {
      before = concerned.count
      for (owner, tables) in owned where tables.contains(where: concerned.contains) {
        concerned.insert(owner)
      }
    }
    self.concerned = concerned
  }

  /// Whether deleting objects of a table takes more than deleting them.
  func concern(_ table: TableKey) -> Bool { concerned.contains(table) }

  /// The rules of a table's own columns.
  subscript(table: TableKey) -> [Rule] { rules[table] ?? [] }
}

/// A deletion that a rule does not allow.
package struct DeniedDeletion: Sendable {
  /// The object that would have to be deleted.
  package let object: StoredLink
  /// Where it has the objects that stay.
  package let source: DeleteRules.Source
}
