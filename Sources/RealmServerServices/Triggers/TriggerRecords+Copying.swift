// SPDX-License-Identifier: Apache-2.0

// What is known of an app's triggers goes from a file to another store.

#if Server
package import RealmServerEngine

extension TriggerRecords {
  /// Copies the states and positions of the triggers of a file to records. Blocks the thread.
  package static func copy(
    from path: String, to records: any RecordStore, app: String
  ) throws(StoreError) {
    let source = try LocalRecords.open(path)
    _ = try TriggerRecords(source, app: app)
    _ = try TriggerRecords(records, app: app)
    _ = try RecordCopy.run(copied, from: source.snapshot(), to: records)
  }
}
#endif
