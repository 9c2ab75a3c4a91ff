// SPDX-License-Identifier: Apache-2.0

// The declaration of one property of a model class.

import RealmQuery
import RealmTables

/// One stored property of a model class.
final class ModelProperty: Sendable {
  /// Its index in `ModelSchema.properties`.
  let index: Int
  let name: String
  let columnName: String
  /// The offset of its wrapper in instances of the class.
  let offset: Int
  let wrapperType: any AnyPersisted.Type
  let shape: _PropertyShape
  let isIndexed: Bool
  let isFullText: Bool
  let isPrimaryKey: Bool
  /// The rule for linked objects when an object is deleted.
  let deleteRule: DeleteRule
  /// The property of the linked class whose links a backlink property shows.
  let originProperty: String?
  /// The column as a side of comparisons.
  let operand: BoundOperand
  /// Where the schema of a linked class is found, if this is a property of dynamic objects.
  private unowned let dynamicSchemas: DynamicSchemas?

  /// The property that the wrapper of type `wrapperType` at `offset` of an instance declares.
  init(
    index: Int, name: String, columnName: String, offset: Int,
    wrapperType: any AnyPersisted.Type, instance: UnsafeRawPointer, isIndexed: Bool,
    isPrimaryKey: Bool
  ) {
    self.index = index
    self.name = name
    self.columnName = columnName
    self.offset = offset
    self.wrapperType = wrapperType
    shape = wrapperType.valueType._shape
    let flags = unsafe wrapperType.flags(at: instance + offset)
    self.isIndexed =
      flags.contains(.indexed) || isIndexed && wrapperType.isLegacy
    isFullText = flags.contains(.fullText)
    self.isPrimaryKey = flags.contains(.primaryKey) || isPrimaryKey
    deleteRule = flags.deleteRule
    originProperty = unsafe wrapperType.originProperty(at: instance + offset)
    operand = .property(ColumnPath([columnName]))
    dynamicSchemas = nil
  }

  /// A property of dynamic objects, which have no wrappers: `offset` only determines its slot.
  init(
    index: Int, name: String, columnName: String, shape: _PropertyShape, isIndexed: Bool,
    isPrimaryKey: Bool, originProperty: String?, in dynamicSchemas: DynamicSchemas
  ) {
    self.index = index
    self.name = name
    self.columnName = columnName
    offset = index << 3
    wrapperType = shape.dynamicWrapperType
    self.shape = shape
    self.isIndexed = isIndexed
    isFullText = false
    self.isPrimaryKey = isPrimaryKey
    deleteRule = .nullify
    self.originProperty = originProperty
    operand = .property(ColumnPath([columnName]))
    self.dynamicSchemas = dynamicSchemas
  }

  /// The kind of index that the property declares; nil if none.
  var indexKind: IndexKind? { isFullText ? .fullText : isIndexed ? .general : nil }

  /// The schema of the class that the property links to.
  var linkedSchema: ModelSchema? {
    if let dynamicSchemas { return shape.linkedName.flatMap { dynamicSchemas[$0] } }
    return shape.linkedClass.map { ModelSchema.of($0) }
  }
}
