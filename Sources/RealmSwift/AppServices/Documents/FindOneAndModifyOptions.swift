// SPDX-License-Identifier: Apache-2.0

// How one document is found and changed.

#if Sync
/// The options of the calls that find one document and change it.
public final class FindOneAndModifyOptions {
  /// The fields of the result; nil for all.
  public var projection: Document?
  /// The fields that decide which document is the first.
  public var sorting: [Document]
  /// Whether a document is made if none is found.
  public var upsert: Bool
  /// Whether the result is the document after the change.
  public var shouldReturnNewDocument: Bool

  /// The options of a search with a change.
  public init(
    _ projection: Document? = nil, _ sorting: [Document] = [], _ upsert: Bool = false,
    _ shouldReturnNewDocument: Bool = false
  ) {
    self.projection = projection
    self.sorting = sorting
    self.upsert = upsert
    self.shouldReturnNewDocument = shouldReturnNewDocument
  }

  /// The options of a search with a change, whose order has one property.
  @available(*, deprecated, message: "Use init(_:_:_:_:).")
  public convenience init(
    projection: Document?, sort: Document?, upsert: Bool = false,
    shouldReturnNewDocument: Bool = false
  ) {
    self.init(projection, sort.map { [$0] } ?? [], upsert, shouldReturnNewDocument)
  }

  /// The first of the fields that decide which document is the first.
  @available(*, deprecated, renamed: "sorting")
  public var sort: Document? {
    get { sorting.first }
    set { sorting = newValue.map { [$0] } ?? [] }
  }
}
#endif
