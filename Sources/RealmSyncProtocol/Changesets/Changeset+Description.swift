// SPDX-License-Identifier: Apache-2.0

// A changeset as lines for people to read and tests to compare.

extension Changeset: CustomStringConvertible {
  /// One line for each instruction. Two changesets have the same lines if and only if they have
  /// the same instructions, however their strings are numbered.
  package var description: String { instructions.map(line).joined(separator: "\n") }

  /// The line of an instruction of this changeset.
  package func line(_ instruction: Instruction) -> String {
    switch instruction {
    case .addTable(let step):
      guard let key = step.key else { return "AddTable \(quoted(step.table)) \(step.kind)" }
      return "AddTable \(quoted(step.table)) \(step.kind) \(quoted(key.field)) \(key.type)"
        + (key.isNullable ? " nullable" : "")
    case .eraseTable(let table): return "EraseTable \(quoted(table))"
    case .createObject(let object): return "CreateObject \(line(object.table, object.key))"
    case .eraseObject(let object): return "EraseObject \(line(object.table, object.key))"
    case .addColumn(let step):
      return "AddColumn \(quoted(step.table)).\(quoted(step.field)) \(step.type) "
        + "\(step.collection)" + (step.isNullable ? " nullable" : "")
        + (step.linkTarget.map { " to " + quoted($0) } ?? "")
    case .eraseColumn(let step): return "EraseColumn \(quoted(step.table)).\(quoted(step.field))"
    case .update(let step):
      return "Update \(line(step.path)) = \(line(step.value))"
        + (step.isDefault ? " default" : "") + " prior \(step.priorSize)"
    case .addInteger(let step): return "AddInteger \(line(step.path)) + \(step.amount)"
    case .arrayInsert(let step):
      return "ArrayInsert \(line(step.path)) = \(line(step.value)) prior \(step.priorSize)"
    case .arrayMove(let step):
      return "ArrayMove \(line(step.path)) to \(step.target) prior \(step.priorSize)"
    case .arrayErase(let step): return "ArrayErase \(line(step.path)) prior \(step.priorSize)"
    case .clear(let step): return "Clear \(line(step.path)) \(step.collection)"
    case .setInsert(let step): return "SetInsert \(line(step.path)) \(line(step.value))"
    case .setErase(let step): return "SetErase \(line(step.path)) \(line(step.value))"
    }
  }

  /// The text of a payload of this changeset.
  package func line(_ value: Payload) -> String {
    switch value {
    case .string(let range): "string \(text(range).debugDescription)"
    case .binary(let range): "binary \(Array(bytes(range)))"
    case .link(let table, let key): "link \(line(table, key))"
    case .float(let number): "float \(number.bitPattern)"
    case .double(let number): "double \(number.bitPattern)"
    default: "\(value)"
    }
  }

  private func line(_ table: InternedString, _ key: PrimaryKey) -> String {
    if case .string(let string) = key { return "\(quoted(table))[\(quoted(string))]" }
    return "\(quoted(table))[\(key)]"
  }

  private func line(_ path: InstructionPath) -> String {
    elements(of: path).reduce("\(line(path.table, path.key)).\(quoted(path.field))") { line, step in
      switch step {
      case .index(let index): line + "[\(index)]"
      case .key(let key): line + ".\(quoted(key))"
      }
    }
  }

  private func quoted(_ string: InternedString) -> String { text(of: string).debugDescription }
}
