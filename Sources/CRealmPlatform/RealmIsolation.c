#include "RealmIsolation.h"

// A reference to a serial executor is two words, returned in two registers.
typedef struct {
  uintptr_t identity;
  uintptr_t implementation;
} SerialExecutorReference;

extern __attribute__((swiftcall)) SerialExecutorReference swift_task_getCurrentExecutor(void);
extern __attribute__((swiftcall)) SerialExecutorReference swift_task_getMainExecutor(void);

uintptr_t realm_current_executor(void) { return swift_task_getCurrentExecutor().identity; }

uintptr_t realm_main_executor(void) { return swift_task_getMainExecutor().identity; }
