// SPDX-License-Identifier: Apache-2.0

// The progress of an import, in a file of its app.
//
// Invariants:
// 1. The mark is there before anything else of the app, and goes when all of it is on the disk: an
//    app with a mark is not whole.
// 2. All documents before the one of the mark are on the disk. After it there may be objects of one
//    group at most.

#if Server
import RealmFormats
import RealmServerEngine

/// The state of an unfinished import.
struct AppImportMark: Hashable, Sendable {
  /// The plan and the files of the import; another one cannot go on.
  var plan: String
  /// The number of finished documents, in the order of the files.
  var documentCount = 0
  /// The size of the file with rejected documents at that time.
  var rejectedByteCount = 0
  var report = AppImportReport()

  init(plan: String) { self.plan = plan }

  /// Nil for other bytes.
  init?(_ bytes: [UInt8]) {
    guard let json = try? JSONParser.parse(bytes), let plan = json["plan"]?.string,
      let documentCount = json["documents"]?.integer,
      let rejectedByteCount = json["rejected_bytes"]?.integer
    else { return nil }
    self.plan = plan
    self.documentCount = Int(clamping: documentCount)
    self.rejectedByteCount = Int(clamping: rejectedByteCount)
    report = AppImportReport(json["report"] ?? .null)
  }

  var bytes: [UInt8] {
    JSONWriter.bytes([
      "plan": .string(plan), "documents": .integer(Int64(documentCount)),
      "rejected_bytes": .integer(Int64(rejectedByteCount)), "report": report.json,
    ])
  }

  /// A digest of the app and the names and sizes of the files.
  static func text(of plan: AppImportPlan) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
    add(JSONWriter.text(plan.app.json))
    add(plan.schema.text)
    for source in plan.sources { add("\(source.path) \(source.byteCount)\n") }
    return String(hash, radix: 16)
  }
}
#endif
