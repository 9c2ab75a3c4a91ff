// SPDX-License-Identifier: Apache-2.0

// How many objects have each value of a property.

package import RealmFormats
package import RealmQuery
package import RealmTables

/// Counts objects by the value of one of their properties.
package struct GroupCounts {
  /// A value and its objects.
  package struct Group {
    /// The value as cells show it; nil for null.
    package let text: String?
    fileprivate let value: JSONValue
    package let count: Int
  }

  package let property: String
  /// The value of most objects first; equal numbers in the order of their texts.
  package let all: [Group]

  package init(
    of property: String, _ keys: [ObjectKey], _ schema: TableSchema, in classes: StoredSchema
  ) throws {
    self.property = property
    let column = try schema.require(property)
    let json = ObjectJSON(classes)
    let cells = CellText(classes)
    var groups: [JSONValue: (text: String?, count: Int)] = [:]
    let table = try classes.reader.readTable(schema.key)
    for key in keys {
      guard let row = try table?.row(of: key) else { continue }
      let value = try row.value(of: column)
      let id = try json.json(value, column)
      if groups[id] == nil { groups[id] = (try cells.text(value, column), 0) }
      groups[id]?.count += 1
    }
    all = groups.map { Group(text: $1.text, value: $0, count: $1.count) }.sorted {
      $0.count != $1.count ? $0.count > $1.count : $0.text ?? "" < $1.text ?? ""
    }
  }

  /// A group for programs.
  package func json(_ group: Group) -> JSONValue {
    [property: group.value, "count": .integer(Int64(group.count))]
  }
}
