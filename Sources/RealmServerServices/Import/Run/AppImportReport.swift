// SPDX-License-Identifier: Apache-2.0

// The numbers of objects, of users, and of documents left out.

#if Server
package import RealmFormats

/// The numbers of an import.
package struct AppImportReport: Hashable, Sendable {
  /// The most rejected documents with their names.
  private static let namedCountMax = 20

  /// The objects of each class.
  package private(set) var objects: [String: Int] = [:]
  /// The rejected documents of each collection.
  package private(set) var rejected: [String: Int] = [:]
  /// The first of them, of this run.
  package private(set) var firstRejected: [RejectedDocument] = []
  /// How often each unknown property was left out.
  package private(set) var unknownFields: [String: Int] = [:]
  /// The documents of each collection without a class.
  package private(set) var leftOut: [String: Int] = [:]
  /// Where each damaged file ends.
  package private(set) var cuts: [String: String] = [:]
  package var userCount = 0
  package var customDataCount = 0

  init() {}

  package var objectCount: Int { objects.values.reduce(0, +) }
  package var rejectedCount: Int { rejected.values.reduce(0, +) }

  mutating func addObject(of name: String) { objects[name, default: 0] += 1 }

  mutating func addLeftOut(_ namespace: DumpNamespace) {
    leftOut[namespace.description, default: 0] += 1
  }

  /// Notes a file whose rest is left out.
  mutating func addCut(_ path: String, _ reason: String) { cuts[path] = reason }

  mutating func add(_ document: RejectedDocument) {
    rejected[document.collection, default: 0] += 1
    if firstRejected.count < Self.namedCountMax { firstRejected.append(document) }
  }

  mutating func add(_ other: AppImportReport) {
    objects.merge(other.objects, uniquingKeysWith: +)
    rejected.merge(other.rejected, uniquingKeysWith: +)
    unknownFields.merge(other.unknownFields, uniquingKeysWith: +)
    leftOut.merge(other.leftOut, uniquingKeysWith: +)
    cuts.merge(other.cuts) { $1 }
    firstRejected += other.firstRejected.prefix(Self.namedCountMax - firstRejected.count)
    userCount += other.userCount
    customDataCount += other.customDataCount
  }

  mutating func add(unknownFields fields: [String: Int]) {
    unknownFields.merge(fields, uniquingKeysWith: +)
  }

  // MARK: Between two runs

  /// The numbers, for programs and the next run.
  package var json: JSONValue {
    func object(_ counts: [String: Int]) -> JSONValue {
      .object(
        counts.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer(Int64($0.value))) })
    }
    return [
      "objects": object(objects), "rejected": object(rejected),
      "unknown_fields": object(unknownFields), "left_out": object(leftOut),
      "custom_data": .integer(Int64(customDataCount)),
      "cut": .object(
        cuts.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }),
    ]
  }

  init(_ json: JSONValue) {
    func counts(_ key: String) -> [String: Int] {
      guard case .object(let members)? = json[key] else { return [:] }
      return Dictionary(
        members.map { ($0.key, Int(clamping: $0.value.integer ?? 0)) }, uniquingKeysWith: +)
    }
    objects = counts("objects")
    rejected = counts("rejected")
    unknownFields = counts("unknown_fields")
    leftOut = counts("left_out")
    customDataCount = Int(clamping: json["custom_data"]?.integer ?? 0)
    guard case .object(let members)? = json["cut"] else { return }
    for member in members { cuts[member.key] = member.value.string ?? "" }
  }

  // MARK: For people

  /// The report in lines.
  package var text: String {
    var lines = ["\(userCount) users and \(objectCount) objects are there:"]
    for (name, count) in objects.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name): \(count)")
    }
    if customDataCount > 0 { lines.append("  custom data of users: \(customDataCount)") }
    for (name, count) in leftOut.sorted(by: { $0.key < $1.key }) {
      lines.append("Documents of \(name), which has no class: \(count) (left out)")
    }
    for (name, count) in unknownFields.sorted(by: { $0.key < $1.key }) {
      lines.append("Values of \(name), which is no property of the schema: \(count) (left out)")
    }
    for (name, count) in rejected.sorted(by: { $0.key < $1.key }) {
      lines.append("Documents of \(name) that do not fit the schema: \(count) (left out)")
    }
    lines += firstRejected.map { "  \($0)" }
    for (_, reason) in cuts.sorted(by: { $0.key < $1.key }) {
      lines.append("The rest of a file is left out: \(reason)")
    }
    return lines.joined(separator: "\n")
  }
}
#endif
