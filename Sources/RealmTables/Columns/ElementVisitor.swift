// SPDX-License-Identifier: Apache-2.0

// Choosing the codec for a column at run time.

import RealmStorage

/// An operation that is written once for all codecs.
protocol ElementVisitor {
  associatedtype Output
  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> Output
}

extension Column {
  /// Runs `visitor` with the codec of the column's leaf, or with that of its collection's elements.
  ///
  /// Dictionaries have no such codec: their values are mixed, whatever the column's type.
  func visitElements<V: ElementVisitor>(_ visitor: V) throws(StorageError) -> V.Output {
    switch type {
    case .int:
      isNullable
        ? try visitor.visit(NullableIntegerCodec.self) : try visitor.visit(IntegerCodec.self)
    case .bool: try visitor.visit(BoolCodec.self)
    case .string: try visitor.visit(StringCodec.self)
    case .binary: try visitor.visit(BinaryCodec.self)
    case .mixed: try visitor.visit(MixedCodec.self)
    case .timestamp: try visitor.visit(TimestampCodec.self)
    case .float: try visitor.visit(FloatCodec.self)
    case .double: try visitor.visit(DoubleCodec.self)
    case .decimal: try visitor.visit(DecimalCodec.self)
    case .link:
      collection == .none
        ? try visitor.visit(LinkCodec.self) : try visitor.visit(LinkElementCodec.self)
    case .objectId: try visitor.visit(ObjectIdCodec.self)
    case .typedLink: try visitor.visit(TypedLinkCodec.self)
    case .uuid: try visitor.visit(UUIDCodec.self)
    case .backlink: throw .corrupted("a backlink column has no values of its own")
    }
  }
}
