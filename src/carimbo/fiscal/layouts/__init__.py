"""XML layouts of the authorities: groups as typed records that write canonical XML."""
