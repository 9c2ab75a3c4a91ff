// SPDX-License-Identifier: Apache-2.0

// The properties along the paths of instructions.
//
// A path has names of properties, keys of dictionaries and positions in lists, and only the classes
// say which is which.

import RealmQuery
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Reads paths by the classes of a version.
struct PropertyPaths: Hashable, Sendable {
  private struct Field: Hashable, Sendable {
    let isCollection: Bool
    /// The class of its embedded objects; nil for other properties.
    let embeddedClass: String?
  }

  private var classes: [String: [String: Field]] = [:]

  init(_ reader: any TableReader) throws(StorageError) {
    let schema = try StoredSchema(reader)
    for table in schema.inFileOrder {
      var fields: [String: Field] = [:]
      for column in table.columns {
        let target = schema.target(of: column)
        fields[column.name] = Field(
          isCollection: column.collection != .none,
          embeddedClass: target?.kind == .embedded ? target?.displayName : nil)
      }
      classes[table.displayName] = fields
    }
  }

  /// The property of a path, and those of embedded objects that it leads through, by their names.
  ///
  /// Ends with the last property that the classes have.
  func names(along path: InstructionPath, in changeset: Changeset) -> [String] {
    var name = changeset.text(of: path.field)
    var names = [name]
    var field = classes[changeset.text(of: path.table)]?[name]
    var isInsideOfCollection = false
    for element in changeset.elements(of: path) {
      guard let known = field else { return names }
      if known.isCollection, !isInsideOfCollection {
        // The place of an element.
        isInsideOfCollection = true
        continue
      }
      guard case .key(let key) = element, let target = known.embeddedClass else { return names }
      name = changeset.text(of: key)
      names.append(name)
      field = classes[target]?[name]
      isInsideOfCollection = false
    }
    return names
  }

  /// The selection for the properties of a class: where rules are about the embedded objects of a
  /// property that has none, nothing of it is allowed.
  func bound(_ selection: FieldSelection, ofClass className: String) -> FieldSelection {
    var bound = selection
    for (name, part) in selection.inside {
      guard let field = classes[className]?[name] else { continue }
      bound.set(
        name,
        to: field.embeddedClass.map { self.bound(part, ofClass: $0) }
          ?? FieldSelection(others: false))
    }
    return bound
  }
}

extension [String: FieldSelection] {
  /// Whether any has a part of a property.
  var haveParts: Bool { values.contains { !$0.inside.isEmpty } }
}
