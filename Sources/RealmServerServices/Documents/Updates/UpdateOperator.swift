// SPDX-License-Identifier: Apache-2.0

// The operators of updates.

#if Server
import RealmFormats
import RealmSyncProtocol

/// What becomes of the value at a path.
enum UpdateOperator: Sendable {
  case set(BSONValue)
  case setOnInsert(BSONValue)
  case unset
  case increase(BSONNumber)
  case multiply(BSONNumber)
  case minimum(BSONValue)
  case maximum(BSONValue)
  case rename(DocumentPath)
  /// Marks the other end of a rename.
  case renameTarget
  case currentDate(isTimestamp: Bool)
  case array(ArrayUpdate)

  init(_ name: String, _ value: BSONValue) throws(DocumentError) {
    switch name {
    case "$set": self = .set(value)
    case "$setOnInsert": self = .setOnInsert(value)
    case "$unset": self = .unset
    case "$inc", "$mul":
      guard let number = BSONNumber(value) else { throw .badArgument("\(name) needs a number") }
      self = name == "$inc" ? .increase(number) : .multiply(number)
    case "$min": self = .minimum(value)
    case "$max": self = .maximum(value)
    case "$rename":
      guard let target = value.text else { throw .badArgument("$rename needs names of fields") }
      self = .rename(try DocumentPath(target))
    case "$currentDate":
      switch value["$type"]?.text {
      case "date": self = .currentDate(isTimestamp: false)
      case "timestamp": self = .currentDate(isTimestamp: true)
      default:
        guard value == .bool(true) else {
          throw .badArgument("$currentDate needs true, or a $type of date or timestamp")
        }
        self = .currentDate(isTimestamp: false)
      }
    default:
      guard let change = try ArrayUpdate(name, value) else {
        throw .unsupported("unknown modifier: \(name)")
      }
      self = .array(change)
    }
  }

  func apply(
    to document: inout BSONValue, at path: DocumentPath, isNew: Bool, now: OriginTimestamp,
    _ work: inout DocumentWork
  ) throws(DocumentError) {
    switch self {
    case .set(let value): try path.set(value, in: &document, &work)
    case .setOnInsert(let value): if isNew { try path.set(value, in: &document, &work) }
    case .unset: try path.unset(in: &document, &work)
    case .increase(let number):
      let known = try self.number(at: path, in: document, "$inc") ?? .int32(0)
      try path.set((known + number).value, in: &document, &work)
    case .multiply(let number):
      let known = try self.number(at: path, in: document, "$mul") ?? .int32(0)
      try path.set((known * number).value, in: &document, &work)
    case .minimum(let value), .maximum(let value):
      if let known = path.place(in: document) {
        let order = try BSONOrder.compare(value, known, &work)
        if case .minimum = self, order >= 0 { return }
        if case .maximum = self, order <= 0 { return }
      }
      try path.set(value, in: &document, &work)
    case .rename(let target):
      guard let value = path.place(in: document) else { return }
      try path.unset(in: &document, &work)
      try target.set(value, in: &document, &work)
    case .renameTarget: return
    case .currentDate(let isTimestamp):
      let time = Int64(now.milliseconds + OriginTimestamp.unixOffset)
      let value: BSONValue =
        isTimestamp
        ? .timestamp(seconds: UInt32(clamping: time / 1_000), increment: 1)
        : .date(unixMilliseconds: time)
      try path.set(value, in: &document, &work)
    case .array(let change): try change.apply(to: &document, at: path, &work)
    }
  }

  /// The number at a path; nil if nothing is there.
  private func number(
    at path: DocumentPath, in document: BSONValue, _ name: String
  ) throws(DocumentError) -> BSONNumber? {
    guard let value = path.place(in: document) else { return nil }
    guard let number = BSONNumber(value) else {
      throw .failed("cannot apply \(name) to the value at '\(path.text)', which is no number")
    }
    return number
  }
}
#endif
