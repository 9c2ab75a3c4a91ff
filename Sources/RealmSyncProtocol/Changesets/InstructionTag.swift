// SPDX-License-Identifier: Apache-2.0

// The numbers of instructions on the wire.

/// The number of a kind of instruction, or of a string's definition, on the wire.
enum InstructionTag: UInt8 {
  case addTable = 0
  case eraseTable = 1
  case createObject = 2
  case eraseObject = 3
  case update = 4
  case addInteger = 5
  case addColumn = 6
  case eraseColumn = 7
  case arrayInsert = 8
  case arrayMove = 9
  case arrayErase = 10
  case clear = 11
  case setInsert = 12
  case setErase = 13
  case defineString = 0x3F
}
