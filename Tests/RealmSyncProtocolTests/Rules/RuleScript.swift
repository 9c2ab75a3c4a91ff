// SPDX-License-Identifier: Apache-2.0

// Instructions in the short form that the tests of the merge rules use.

import Testing

@testable import RealmSyncProtocol

/// An instruction about the property `f` of the object 1 of the class `T`, where nothing else is
/// said. Lists have three elements.
struct RuleScript {
  /// A step of a path: `1` or `"key"`.
  enum Step: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case index(UInt32)
    case key(String)

    init(integerLiteral value: UInt32) { self = .index(value) }
    init(stringLiteral value: String) { self = .key(value) }
  }

  /// A value that needs the strings or bytes of a changeset.
  enum Value {
    case plain(Payload)
    case text(String)
    case link(String)
  }

  var make: (inout Changeset) -> Instruction

  static func path(
    _ changeset: inout Changeset, _ steps: [Step], key: String = "one", field: String = "f"
  ) -> InstructionPath {
    let elements: [PathElement] = steps.map { step in
      switch step {
      case .index(let index): .index(index)
      case .key(let key): .key(changeset.intern(key))
      }
    }
    return InstructionPath(
      table: changeset.intern("T"), key: .string(changeset.intern(key)),
      field: changeset.intern(field), elements: changeset.addElements(elements))
  }

  static func payload(_ value: Value, _ changeset: inout Changeset) -> Payload {
    switch value {
    case .plain(let payload): payload
    case .text(let text): .string(changeset.addBytes(text))
    case .link(let key):
      .link(table: changeset.intern("T"), key: .string(changeset.intern(key)))
    }
  }

  static func addTable(
    _ table: String = "T", key: String = "id", type: PayloadType = .int, isNullable: Bool = false,
    kind: ChangesetTableKind = .topLevel
  ) -> RuleScript {
    RuleScript { changeset in
      let column = Instruction.KeyColumn(
        field: changeset.intern(key), type: type, isNullable: isNullable)
      return .addTable(
        .init(
          table: changeset.intern(table), kind: kind, key: kind == .embedded ? nil : column))
    }
  }

  static func eraseTable(_ table: String = "T") -> RuleScript {
    RuleScript { .eraseTable($0.intern(table)) }
  }

  static func addColumn(
    _ table: String = "T", _ field: String = "f", _ type: PayloadType = .int,
    isNullable: Bool = false, _ collection: ChangesetCollectionKind = .single,
    to target: String? = nil
  ) -> RuleScript {
    RuleScript { changeset in
      .addColumn(
        .init(
          table: changeset.intern(table), field: changeset.intern(field), type: type,
          isNullable: isNullable, collection: collection,
          linkTarget: target.map { changeset.intern($0) }))
    }
  }

  static func eraseColumn(_ table: String = "T", _ field: String = "f") -> RuleScript {
    RuleScript {
      .eraseColumn(.init(table: $0.intern(table), field: $0.intern(field)))
    }
  }

  static func create(_ key: String = "one") -> RuleScript {
    RuleScript {
      .createObject(ObjectReference(table: $0.intern("T"), key: .string($0.intern(key))))
    }
  }

  static func eraseObject(_ key: String = "one") -> RuleScript {
    RuleScript {
      .eraseObject(ObjectReference(table: $0.intern("T"), key: .string($0.intern(key))))
    }
  }

  static func update(
    _ steps: [Step] = [], _ value: Value = .plain(.int(7)), isDefault: Bool = false,
    prior: UInt32 = 3, key: String = "one", field: String = "f"
  ) -> RuleScript {
    RuleScript { changeset in
      let payload = payload(value, &changeset)
      let path = path(&changeset, steps, key: key, field: field)
      if case .index = steps.last {
        return .update(.init(path: path, value: payload, priorSize: prior))
      }
      return .update(.init(path: path, value: payload, isDefault: isDefault))
    }
  }

  static func add(_ amount: Int64 = 1, _ steps: [Step] = []) -> RuleScript {
    RuleScript { .addInteger(.init(path: path(&$0, steps), amount: amount)) }
  }

  static func insert(
    _ steps: Step..., prior: UInt32 = 3, value: Value = .plain(.int(1))
  ) -> RuleScript {
    RuleScript { changeset in
      let payload = payload(value, &changeset)
      return .arrayInsert(
        .init(path: path(&changeset, steps), value: payload, priorSize: prior))
    }
  }

  static func move(_ steps: Step..., to target: UInt32, prior: UInt32 = 3) -> RuleScript {
    RuleScript {
      .arrayMove(.init(path: path(&$0, steps), target: target, priorSize: prior))
    }
  }

  static func erase(_ steps: Step..., prior: UInt32 = 3) -> RuleScript {
    RuleScript { .arrayErase(.init(path: path(&$0, steps), priorSize: prior)) }
  }

  static func clear(_ kind: ChangesetCollectionKind = .list, _ steps: [Step] = []) -> RuleScript {
    RuleScript { .clear(.init(path: path(&$0, steps), collection: kind)) }
  }

  static func setInsert(_ value: Value, _ steps: [Step] = []) -> RuleScript {
    RuleScript { changeset in
      let payload = payload(value, &changeset)
      return .setInsert(.init(path: path(&changeset, steps), value: payload))
    }
  }

  static func setErase(_ value: Value, _ steps: [Step] = []) -> RuleScript {
    RuleScript { changeset in
      let payload = payload(value, &changeset)
      return .setErase(.init(path: path(&changeset, steps), value: payload))
    }
  }
}
