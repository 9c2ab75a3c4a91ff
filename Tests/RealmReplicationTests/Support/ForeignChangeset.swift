// SPDX-License-Identifier: Apache-2.0

// What another device may send at any time: objects that come, go, and are linked to before they
// come, so that files have tombstones.

import RealmSyncProtocol
import RealmTestSupport

/// Makes changesets about the objects of a `RandomSchema` that fit any state.
enum ForeignChangeset {
  /// - Parameter creates: Whether no objects are erased.
  static func make(_ random: inout SeededGenerator, creates: Bool = false) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let thing = encoder.intern("Thing")
    func key(_ random: inout SeededGenerator) -> PrimaryKey {
      .string(encoder.intern("t\(random.number(below: 12))"))
    }
    for _ in 0..<1 + random.number(below: 3) {
      let object = ObjectReference(table: thing, key: key(&random))
      guard creates || !random.percent(50) else {
        encoder.append(.eraseObject(object))
        continue
      }
      encoder.append(.createObject(object))
      let link = Payload.link(table: thing, key: key(&random))
      switch random.number(below: 5) {
      case 0:
        encoder.append(
          .update(
            .init(path: path(object, encoder.intern("none_thing")), value: link)))
      case 1:
        encoder.append(
          .update(
            .init(path: path(object, encoder.intern("none_mixed")), value: link)))
      case 2:
        encoder.append(
          .setInsert(
            .init(path: path(object, encoder.intern("set_thing")), value: link)))
      case 3:
        let list = path(object, encoder.intern("list_thing"))
        encoder.append(.clear(.init(path: list, collection: .list)))
        for index in 0..<3 as Range<UInt32> {
          var element = list
          element.elements = encoder.addElements([PathElement.index(index)])
          let target = Payload.link(table: thing, key: key(&random))
          encoder.append(.arrayInsert(.init(path: element, value: target, priorSize: index)))
        }
      default:
        var entry = path(object, encoder.intern("dictionary_thing"))
        entry.elements = encoder.addElements([PathElement.key(encoder.intern("a"))])
        encoder.append(.update(.init(path: entry, value: link)))
      }
    }
    return encoder.bytes
  }

  private static func path(
    _ object: ObjectReference, _ field: InternedString
  ) -> InstructionPath {
    InstructionPath(table: object.table, key: object.key, field: field)
  }
}
