-- Why lines of imported files were refused: one row for each problem of a line.
create table import_problems (
    subscription_id uuid not null,
    import_id uuid not null,
    -- The line of the file on which the record begins, and the place of the problem among those of its record.
    line integer not null,
    position integer not null,
    -- The title of the column; null if the problem is of the line as a whole.
    field text,
    message text not null,
    -- The first cells of the line, so that a person recognizes it.
    cells jsonb not null,
    primary key (subscription_id, import_id, line, position),
    foreign key (subscription_id, import_id) references imports (subscription_id, id) on delete cascade
);
